import type { IncomingMessage, ServerResponse } from "node:http";
import {
  constants,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import { endWhenOld } from "./age.ts";
import type { Crowd } from "./crowd.ts";
import type { PortLimits } from "./limits.ts";
import type { WriteTimeout } from "./write-timeout.ts";

/** Takes requests of both versions: HTTP/2's compatibility API stands in for HTTP/1.1's objects. */
export type AnyRequestListener = (
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
) => void;

/**
 * Whether a stream is taken and answered by the handler that took it. The others become requests of
 * the compatibility API of HTTP/2.
 */
export type StreamListener = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
) => boolean;

/** Who takes the requests of a port. */
export interface Takers {
  readonly listener: AnyRequestListener;
  /** Left out, all streams become requests. */
  readonly takeStream?: StreamListener;
}

/** The HTTP/2 side of the port, with what it takes to stop it gracefully. */
export interface Http2Side {
  /** Speaks HTTP/2 on a connection that someone else has accepted. */
  serve(socket: Socket): void;
  /** From now on the next call of each connection is its last, of new connections too. */
  drain(): void;
  /** Tells every peer to open no more streams; connections end with their last one. */
  finish(): void;
}

export function createHttp2Side(
  listener: AnyRequestListener,
  takeStream: StreamListener,
  limits: PortLimits,
  writeTimeout: WriteTimeout,
  crowd: Crowd,
): Http2Side {
  const server = createServer({
    maxSessionInvalidFrames: 100,
    // Each field counts as 32 bytes besides its own, so their bytes bound how many there are.
    maxHeaderListPairs: limits.headerBytesMax,
    streamResetBurst: limits.streamResetBurst,
    streamResetRate: limits.streamResetsPerSecond,
    settings: {
      maxConcurrentStreams: limits.streamsPerConnectionMax,
      maxHeaderListSize: limits.headerBytesMax,
      enablePush: false,
    },
  });
  // Streams that nobody takes become requests of a server that has no connections of its own.
  const requests = createServer(listener);
  // Refused as any other call is, in its protocol.
  requests.on("checkExpectation", listener);
  server.on("stream", (stream, headers, flags, rawHeaders) => {
    // A peer may have reset it in one packet with its request, and Node throws at what is written.
    if (stream.destroyed || takeStream(stream, headers, rawHeaders)) return;
    requests.emit("stream", stream, headers, flags, rawHeaders);
  });
  const sessions = new Set<ServerHttp2Session>();
  let draining = false;
  let finishing = false;

  const begin = (session: ServerHttp2Session, socket: Socket) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    const calls = closeWhenIdle(session, socket, limits);
    session.on("stream", (stream) => {
      const ends = [
        crowd.begin(socket),
        endHalfSent(stream, limits),
        resetUnread(stream, socket, writeTimeout),
        calls.begin(),
      ];
      // One listener for all: on a stream, each costs more than what it does.
      stream.on("close", () => {
        for (const end of ends) end();
      });
      stream.on("error", ignore);
    });
    endWhenOld(session, limits, () => draining);
    // The server may have begun to stop while the peer said that it speaks HTTP/2.
    if (finishing) session.close();
  };
  return {
    serve: (socket) => {
      endBothHalves(socket);
      server.once("session", (session) => begin(session, socket));
      server.emit("connection", socket);
    },
    drain: () => {
      draining = true;
    },
    finish: () => {
      finishing = true;
      for (const session of sessions) session.close();
    },
  };
}

/** Node reports here what peers do wrong; the session goes on. */
function ignore(): void {}

/**
 * Resets a stream of which the peer takes nothing, until what this answers is called. Where not
 * even the reset goes out, it is the connection that is not read.
 */
function resetUnread(
  stream: ServerHttp2Stream,
  socket: Socket,
  writeTimeout: WriteTimeout,
): () => void {
  // Written one by one, and not all that waits at once, so that it shows what the peer has taken.
  Object.assign(stream, { _writev: null });
  return writeTimeout.watch(stream, () => {
    if (!stream.closed) return stream.close(constants.NGHTTP2_CANCEL);
    // For a handler that still writes, it is as if the peer had gone.
    const error = new Error("The peer does not read.");
    stream.session?.destroy(Object.assign(error, { code: "ECONNRESET" }));
    socket.destroy();
  });
}

/**
 * What keeps a connection is calls alone, not the pings of a peer that makes none. Each begins with
 * its stream, until what `begin` answers is called.
 */
function closeWhenIdle(
  session: ServerHttp2Session,
  socket: Socket,
  limits: PortLimits,
): { begin(): () => void } {
  const close = () => {
    session.close();
    // The end waits behind everything that was written before, so it may wait forever.
    idle = setTimeout(() => socket.destroy(), limits.writeTimeoutMs);
  };
  const becomeIdle = () => setTimeout(close, limits.idleTimeoutMs);
  let streams = 0;
  // A session without a call lasts as long as a connection may stay silent.
  let idle = setTimeout(close, limits.sniffTimeoutMs);
  session.once("close", () => clearTimeout(idle));
  const end = () => {
    streams -= 1;
    if (streams === 0 && !session.destroyed) idle = becomeIdle();
  };
  return {
    begin: () => {
      streams += 1;
      clearTimeout(idle);
      return end;
    },
  };
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
 * A stream whose request never ends would stay open forever: it is reset when the answer is out, or
 * at the latest some time after the request had to be complete. What this answers calls that off.
 */
function endHalfSent(stream: ServerHttp2Stream, limits: PortLimits): () => void {
  const isOpen = () => !stream.readableEnded && !stream.destroyed;
  const late = setTimeout(() => {
    if (isOpen()) stream.close(constants.NGHTTP2_CANCEL);
  }, limits.requestTimeoutMs + limits.stopGraceMs);
  // `finish` comes before the trailers are written, and a reset would overtake them.
  const resetWhenAnswered = () => {
    if (!isOpen()) return;
    if (stream.state.localClose === 1) stream.close(constants.NGHTTP2_NO_ERROR);
    else setTimeout(resetWhenAnswered, answerCheckMs).unref();
  };
  stream.on("finish", () => {
    if (!isOpen()) return;
    // What has arrived is dropped; a request that is complete ends by this. A reader that
    // has begun would stop the stream again.
    stream.removeAllListeners("data").resume();
    setTimeout(resetWhenAnswered, limits.unwantedBodyMs).unref();
  });
  return () => clearTimeout(late);
}
