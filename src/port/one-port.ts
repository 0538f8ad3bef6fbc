import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Server as TlsServer } from "node:tls";
import type { Crowd } from "./crowd.ts";
import type { Http2Side } from "./http2.ts";
import type { PortLimits } from "./limits.ts";
import { writeAtEndOfTurn } from "./turn.ts";
import type { WriteTimeout } from "./write-timeout.ts";

type OnePortLimits = Pick<PortLimits, "sniffTimeoutMs">;

/** The connections of the one port, as the stop of the server needs them. */
export interface Connections {
  /** Destroys those that have not asked for anything, now and from now on. */
  finish(): void;
  /** Destroys all that are left. */
  cutOff(): void;
}

/**
 * Lets the listening HTTP/1.1 server share its port: it keeps the sockets that speak HTTP/1.1, with
 * all its own timeouts, and hands those that begin with the preface of HTTP/2 to the other side,
 * which never listens. A socket that has not said which it is in time is destroyed.
 */
export function shareCleartext(
  http1: Server,
  http2: Http2Side,
  limits: OnePortLimits,
  writeTimeout: WriteTimeout,
  crowd: Crowd,
): Connections {
  const serveHttp1 = takeOver(http1, writeTimeout);
  const { connections, sniff } = track(http1, limits, crowd, (socket) => {
    sniff(socket, isPreface, (isHttp2) => {
      if (isHttp2) http2.serve(socket);
      else serveHttp1(socket);
    });
  });
  return connections;
}

/**
 * The same within TLS, where the handshake says which version is spoken (ALPN). The HTTP/1.1 server
 * still is the one that listens, and a `tls.Server` that does not only shakes hands. Node's secure
 * HTTP/2 server could serve both versions, but then timeouts, limits and the stop would have a
 * second form; so they are the ones that cleartext has. What does not begin like TLS is destroyed.
 */
export function shareTls(
  http1: Server,
  http2: Http2Side,
  limits: OnePortLimits,
  writeTimeout: WriteTimeout,
  crowd: Crowd,
  tls: TlsServer,
): Connections {
  const serveHttp1 = takeOver(http1, writeTimeout);
  const { connections, sniff } = track(http1, limits, crowd, (socket) => {
    // The HTTP/1.1 server lets each half end on its own, but in TLS one half is of no use, and
    // connections would stay open when their peers have gone.
    socket.allowHalfOpen = false;
    sniff(socket, isHandshake, (isTls) => {
      if (isTls) tls.emit("connection", socket);
      else socket.destroy();
    });
  });
  tls.on("secureConnection", (socket) => {
    if (socket.alpnProtocol === "h2") http2.serve(socket);
    // The HTTP/1.1 server takes a connection for busy until its first request is over, so it gets
    // none that has not begun one.
    else sniff(socket, isAnything, () => serveHttp1(socket));
  });
  tls.on("tlsClientError", (_error, socket) => socket.destroy());
  return connections;
}

/** Takes the server's connections, and answers the function that gives it one back. */
function takeOver(http1: Server, writeTimeout: WriteTimeout): (socket: Socket) => void {
  const listeners = http1.listeners("connection");
  http1.removeAllListeners("connection");
  return (socket) => {
    for (const serve of listeners) serve.call(http1, socket);
    writeAtEndOfTurn(socket);
    socket.once(
      "close",
      writeTimeout.watch(socket, () => socket.destroy()),
    );
    // The HTTP/1.1 parser reads from the handle, past what was put back, unless the socket flows.
    socket.resume();
  };
}

/** Whether what a connection begins with is what one looks for; undefined while that is open. */
type Look = (head: Buffer) => boolean | undefined;

type Sniff = (socket: Socket, look: Look, decided: (found: boolean) => void) => void;

function track(
  http1: Server,
  { sniffTimeoutMs }: OnePortLimits,
  crowd: Crowd,
  accept: (socket: Socket) => void,
): { readonly connections: Connections; readonly sniff: Sniff } {
  const silent = new Set<Socket>();
  let finishing = false;

  http1.on("connection", (socket: Socket) => {
    if (crowd.admit(socket)) accept(socket);
    else socket.destroy();
  });
  const sniff: Sniff = (socket, look, decided) => {
    if (finishing) {
      socket.destroy();
      return;
    }
    silent.add(socket);
    lookAtHead(socket, sniffTimeoutMs, look, (found) => {
      silent.delete(socket);
      if (found !== undefined) decided(found);
    });
  };
  const connections = {
    finish: () => {
      finishing = true;
      for (const socket of silent) socket.destroy();
    },
    cutOff: crowd.cutOff,
  };
  return { connections, sniff };
}

/** Reads until the look decides and puts back what was read; undefined if the socket ends first. */
function lookAtHead(
  socket: Socket,
  timeoutMs: number,
  look: Look,
  decided: (found: boolean | undefined) => void,
): void {
  let head = Buffer.alloc(0);
  const giveUp = () => socket.destroy();
  const timer = setTimeout(giveUp, timeoutMs);
  const stop = (found: boolean | undefined) => {
    clearTimeout(timer);
    socket.off("data", read).off("end", giveUp).off("error", ignore).off("close", gone);
    decided(found);
  };
  const gone = () => stop(undefined);
  const read = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk]);
    const found = look(head);
    if (found === undefined) return;
    socket.pause();
    socket.unshift(head);
    stop(found);
  };
  socket.on("data", read).on("end", giveUp).on("error", ignore).on("close", gone);
}

/** A peer that resets the connection before it has said anything is nobody's concern. */
function ignore(): void {}

/** What every HTTP/2 connection without TLS begins with (RFC 9113, 3.4). */
const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

const isPreface: Look = (head) => {
  const length = Math.min(head.length, preface.length);
  const fits = head.subarray(0, length).equals(preface.subarray(0, length));
  return fits && length < preface.length ? undefined : fits;
};

/** The record type of a handshake (RFC 8446, 5.1), which no HTTP request begins with. */
const isHandshake: Look = (head) => head[0] === 0x16;

const isAnything: Look = () => true;
