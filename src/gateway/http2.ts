import type { IncomingMessage, ServerResponse } from "node:http";
import {
  constants,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import type { GatewayLimits } from "./limits.ts";
import type { Untaken } from "./untaken.ts";

/** Takes requests of both versions: HTTP/2's compatibility API stands in for HTTP/1.1's objects. */
export type AnyRequestListener = (
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
) => void;

/** The HTTP/2 side of the port, with what it takes to stop it gracefully. */
export interface Http2Side {
  /** Speaks HTTP/2 on a connection that someone else has accepted. */
  serve(socket: Socket): void;
  /** Tells every peer to open no more streams; connections end with their last one. */
  finish(): void;
}

export function createHttp2Side(
  listener: AnyRequestListener,
  limits: GatewayLimits,
  untaken: Untaken,
): Http2Side {
  const server = createServer(
    {
      maxSessionInvalidFrames: 100,
      maxSessionRejectedStreams: 100,
      streamResetBurst: limits.streamResetBurst,
      streamResetRate: limits.streamResetsPerSecond,
      settings: {
        maxConcurrentStreams: limits.streamsPerConnectionMax,
        maxHeaderListSize: limits.headerBytesMax,
        enablePush: false,
      },
    },
    listener,
  );
  // Refused as any other call is, in its protocol.
  server.on("checkExpectation", listener);
  const sessions = new Set<ServerHttp2Session>();
  let finishing = false;

  const begin = (session: ServerHttp2Session, socket: Socket) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    session.on("error", () => session.destroy());
    session.on("stream", (stream) => {
      // Node reports what peers do wrong here; the session goes on.
      stream.on("error", () => {});
      endHalfSent(stream, limits);
      cutUntaken(stream, socket, untaken);
    });
    closeWhenIdle(session, socket, limits);
    // The server may have begun to stop while the peer said that it speaks HTTP/2.
    if (finishing) session.close();
  };
  return {
    serve: (socket) => {
      endBothHalves(socket);
      server.once("session", (session) => begin(session, socket));
      server.emit("connection", socket);
    },
    finish: () => {
      finishing = true;
      for (const session of sessions) session.close();
    },
  };
}

/**
 * Resets a stream of which the peer takes nothing. Where not even the reset goes out, it is the
 * connection that is not read.
 */
function cutUntaken(stream: ServerHttp2Stream, socket: Socket, untaken: Untaken): void {
  // Written one by one, and not all that waits at once, so that it shows what the peer has taken.
  Object.assign(stream, { _writev: null });
  untaken.watch(stream, () => {
    if (!stream.closed) return stream.close(constants.NGHTTP2_CANCEL);
    // To whoever is still writing, it is as if the peer had gone.
    const error = new Error("The peer reads nothing.");
    stream.session?.destroy(Object.assign(error, { code: "ECONNRESET" }));
    socket.destroy();
  });
}

/** What keeps a connection is calls alone, not the pings of a peer that makes none. */
function closeWhenIdle(session: ServerHttp2Session, socket: Socket, limits: GatewayLimits): void {
  const close = () => {
    session.close();
    // The end waits behind all that was written before, and so it may wait for good.
    idle = setTimeout(() => socket.destroy(), limits.writeTimeoutMs);
  };
  const becomeIdle = () => setTimeout(close, limits.idleTimeoutMs);
  let streams = 0;
  let idle = becomeIdle();
  session.on("stream", (stream) => {
    streams += 1;
    clearTimeout(idle);
    stream.once("close", () => {
      streams -= 1;
      if (streams === 0 && !session.destroyed) idle = becomeIdle();
    });
  });
  session.once("close", () => clearTimeout(idle));
}

/** Milliseconds that a peer has to close its half of a connection when we have closed ours. */
const lingerMs = 1_000;

/**
 * The listening server leaves it to HTTP/1.1 when each half of a connection ends, and sessions wait
 * for both. HTTP/2 has no use for one half: a peer that has ended its own is gone.
 */
function endBothHalves(socket: Socket): void {
  socket.once("end", () => socket.destroy());
  socket.once("finish", () => {
    const late = setTimeout(() => socket.destroy(), lingerMs);
    socket.once("close", () => clearTimeout(late));
  });
}

/** Milliseconds between two looks at whether an answer is out. */
const answerCheckMs = 10;

/**
 * A stream whose request never ends would stay open for good: it is reset when the answer is out,
 * or at the latest some time after the request had to be complete.
 */
function endHalfSent(stream: ServerHttp2Stream, { requestTimeoutMs, stopGraceMs }: GatewayLimits) {
  const isOpen = () => !stream.readableEnded && !stream.destroyed;
  const late = setTimeout(() => {
    if (isOpen()) stream.close(constants.NGHTTP2_CANCEL);
  }, requestTimeoutMs + stopGraceMs);
  // `finish` comes before the trailers are written, and a reset would overtake them.
  const resetWhenAnswered = () => {
    if (!isOpen()) return;
    if (stream.state.localClose === 1) stream.close(constants.NGHTTP2_NO_ERROR);
    else setTimeout(resetWhenAnswered, answerCheckMs).unref();
  };
  stream.once("finish", () => {
    // What has arrived is read and dropped; a request that is complete ends by this.
    stream.resume();
    setImmediate(resetWhenAnswered);
  });
  stream.once("close", () => clearTimeout(late));
}
