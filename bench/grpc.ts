import { once } from "node:events";
import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from "node:http2";
import type { Lane, OpenLanes } from "./lanes.ts";
import { fillIn } from "./template.ts";

/**
 * Calls as streams of HTTP/2 connections, as gRPC clients make them, with frames by hand: a gRPC
 * client would cost several times as much.
 */
export const openGrpc: OpenLanes = async (port, template, count, connections = 1) => {
  const sessions = Array.from({ length: connections }, () => connect(`http://127.0.0.1:${port}`));
  await Promise.all(sessions.map((session) => once(session, "connect")));
  for (const session of sessions) session.setLocalWindowSize(16 * 1024 * 1024);
  const headers = {
    [constants.HTTP2_HEADER_METHOD]: "POST",
    [constants.HTTP2_HEADER_PATH]: template.path,
    "content-type": "application/grpc",
    te: "trailers",
    authorization: `Bearer ${template.token}`,
  };

  const openLane = (session: ClientHttp2Session): Lane => {
    const bytes = Buffer.from(template.bytes);
    return {
      call: (serial, done) => {
        fillIn(bytes, template, serial);
        let status: IncomingHttpHeaders | undefined;
        let size = 0;
        const stream = session.request(headers);
        stream.on("response", (head) => {
          if ("grpc-status" in head || head[":status"] !== 200) status = head;
        });
        stream.on("trailers", (trailers) => {
          status = trailers;
        });
        stream.on("data", (chunk: Buffer) => {
          size += chunk.length;
        });
        stream.on("error", (error: Error) => done(error.message));
        stream.on("end", () => {
          const isFine = status?.["grpc-status"] === "0" && size > 5;
          done(isFine ? undefined : `gRPC ${JSON.stringify(status)}, ${size} bytes`);
        });
        stream.end(bytes);
      },
    };
  };
  return {
    lanes: sessions.flatMap((session, index) => {
      const share = Math.floor((count + index) / connections);
      return Array.from({ length: share }, () => openLane(session));
    }),
    close: () => {
      for (const session of sessions) session.destroy();
    },
  };
};
