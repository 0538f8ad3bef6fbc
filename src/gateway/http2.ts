import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import {
  constants,
  createServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { GatewayLimits } from "./limits.ts";

/** The HTTP/2 side of the port, with what it takes to stop it gracefully. */
export interface Http2Side {
  readonly server: Http2Server;
  /** Tells every peer to open no more streams; connections end with their last one. */
  finish(): void;
}

export function createHttp2Side(listener: RequestListener, limits: GatewayLimits): Http2Side {
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
    // The compatibility API stands in for HTTP/1.1's objects, which is all that Fastify asks for.
    (request, response) =>
      listener(
        request as unknown as IncomingMessage,
        response as unknown as ServerResponse<IncomingMessage> & { req: IncomingMessage },
      ),
  );
  const sessions = new Set<ServerHttp2Session>();

  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    session.on("error", () => session.destroy());
    closeWhenIdle(session, limits.idleTimeoutMs);
  });
  server.on("stream", (stream) => {
    // Node reports what peers do wrong here; the session goes on.
    stream.on("error", () => {});
    endHalfSent(stream, limits);
  });
  return {
    server,
    finish: () => {
      for (const session of sessions) session.close();
    },
  };
}

function closeWhenIdle(session: ServerHttp2Session, idleTimeoutMs: number): void {
  let streams = 0;
  session.on("stream", (stream) => {
    streams += 1;
    stream.once("close", () => {
      streams -= 1;
    });
  });
  session.setTimeout(idleTimeoutMs, () => {
    if (streams === 0) session.close();
  });
}

/**
 * A stream whose request never ends would stay open for good: it is reset when the answer is out,
 * or at the latest some time after the request had to be complete.
 */
function endHalfSent(stream: ServerHttp2Stream, { requestTimeoutMs, stopGraceMs }: GatewayLimits) {
  const isOpen = () => !stream.readableEnded && !stream.destroyed;
  const late = setTimeout(() => {
    if (isOpen()) stream.close(constants.NGHTTP2_CANCEL);
  }, requestTimeoutMs + stopGraceMs);
  stream.once("finish", () => {
    // What has arrived is read and dropped; a request that is complete ends by this.
    stream.resume();
    setImmediate(() => {
      if (isOpen()) stream.close(constants.NGHTTP2_NO_ERROR);
    });
  });
  stream.once("close", () => clearTimeout(late));
}
