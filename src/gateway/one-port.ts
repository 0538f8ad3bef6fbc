import type { Server } from "node:http";
import type { Http2Server } from "node:http2";
import type { Socket } from "node:net";

/** What every HTTP/2 connection without TLS begins with (RFC 9113, 3.4). */
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/**
 * Lets one listening server serve both HTTP versions: it keeps the sockets that speak HTTP/1.1,
 * with all its own timeouts, and hands those that begin with the preface to the other, which never
 * listens. A socket that has not said which it is in time is destroyed. Answers the set of all open
 * sockets, which changes as they come and go.
 */
export function shareOnePort(
  http1: Server,
  http2: Http2Server,
  sniffTimeoutMs: number,
): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  const serveHttp1 = http1.listeners("connection");
  http1.removeAllListeners("connection");
  http1.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    sniff(socket, sniffTimeoutMs, (isHttp2) => {
      if (isHttp2) {
        http2.emit("connection", socket);
        return;
      }
      for (const serve of serveHttp1) serve.call(http1, socket);
      // The HTTP/1.1 parser reads from the handle, past what was put back, unless the socket flows.
      socket.resume();
    });
  });
  return sockets;
}

function sniff(socket: Socket, timeoutMs: number, decided: (isHttp2: boolean) => void): void {
  let head = Buffer.alloc(0);
  const timer = setTimeout(() => socket.destroy(), timeoutMs);

  const stop = () => {
    clearTimeout(timer);
    socket.off("data", look).off("error", ignore).off("close", stop);
  };
  const look = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk]);
    const length = Math.min(head.length, preface.length);
    const fits = head.subarray(0, length).equals(preface.subarray(0, length));
    if (fits && length < preface.length) return;
    stop();
    socket.pause();
    socket.unshift(head);
    decided(fits);
  };
  socket.on("data", look).on("error", ignore).on("close", stop);
}

/** A peer that resets the connection before it has said anything is nobody's concern. */
function ignore(): void {}
