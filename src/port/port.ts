import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, Server as TcpServer } from "node:net";
import type { Duplex } from "node:stream";
import { createCrowd } from "./crowd.ts";
import { explainUnframed } from "./framing.ts";
import {
  type AnyRequestListener,
  createHttp2Side,
  type StreamListener,
  type Takers,
} from "./http2.ts";
import type { PortLimits } from "./limits.ts";
import { listenOnLoopbacks, listenOnSocket } from "./listen.ts";
import { type Connections, shareCleartext, shareTls } from "./one-port.ts";
import type { Peers } from "./peer.ts";
import { createPipelining } from "./pipelining.ts";
import { type Certificate, createHandshakes } from "./tls.ts";
import { writeDue } from "./turn.ts";
import { createWriteTimeout } from "./write-timeout.ts";

export interface PortOptions {
  readonly limits: PortLimits;
  readonly peers: Peers;
  /** Turns TLS on; then there is no cleartext. */
  readonly certificate?: Certificate;
  /** Makes the last HTTP/1.1 answer to a peer that sends requests and awaits no answers. */
  readonly tooManyRequests: () => Buffer;
}

/** One port that speaks HTTP/1.1 and HTTP/2, cleartext or TLS. */
export interface Port {
  /** The HTTP/1.1 server: it listens, and HTTP/2 shares its connections. */
  readonly http1: Server;
  /**
   * Hands every request of both versions to the listener, but for the streams of HTTP/2 that are
   * taken. Called before `listen`.
   */
  serve(takers: Takers): void;
  /** Ends an HTTP/1.1 connection with this answer, behind the answers that are due on it. */
  endAfter(socket: Duplex, last: Buffer, verb?: string): void;
  /**
   * Accepts connections; port 0 takes any that is free. On 127.0.0.1 and on ::1 it accepts those of
   * the other as well, because `localhost` means both. Resolves to the address that was asked for,
   * rejects if one of them is taken. Shared, it is so for other processes too (`ListenOptions`).
   */
  listen(host: string, port: number, isShared?: boolean): Promise<AddressInfo>;
  /** Accepts the connections of a socket that listens already: see `listenOnSocket`. */
  listenOnSocket(descriptor: number): Promise<AddressInfo>;
  /** With TLS, what new connections are shown from now on. */
  renewCertificate(certificate: Certificate): void;
  /**
   * From now on each connection ends with its next answer, and those behind balancers go elsewhere.
   * Connections that are new are served still.
   */
  drain(): void;
  /** Accepts no more connections; those that are open are served as before. */
  stopListening(): void;
  /** Takes nothing new, lets calls in flight finish, and cuts off what is left after the grace. */
  close(): Promise<void>;
}

/** Milliseconds between two looks, while the port closes, for connections that became idle. */
const idleCheckMs = 50;

export function createPort({ limits, peers, certificate, tooManyRequests }: PortOptions): Port {
  let serve: AnyRequestListener | undefined;
  let take: StreamListener = () => false;
  let draining = false;
  const listener: AnyRequestListener = (request, response) => serve?.(request, response);
  const pipelining = createPipelining(limits.unansweredRequestsMax, tooManyRequests);
  const http1 = createHttp1(limits, (request, response) => {
    if (!pipelining.admit(request, response)) return;
    // However it is answered, and for whatever reason.
    const isLast = draining || explainUnframed(request) !== undefined;
    if (isLast) pipelining.endWith(request, response);
    request.on("error", ignore);
    dropUnread(request, response);
    response.once("close", crowd.begin(request.socket));
    listener(request, response);
  });
  const crowd = createCrowd(limits, peers);
  const writeTimeout = createWriteTimeout(limits.writeTimeoutMs);
  const http2 = createHttp2Side(
    listener,
    (stream, headers, rawHeaders) => take(stream, headers, rawHeaders),
    limits,
    writeTimeout,
    crowd,
  );
  const handshakes = certificate && createHandshakes(certificate, limits.sniffTimeoutMs);
  const connections = handshakes
    ? shareTls(http1, http2, limits, writeTimeout, crowd, handshakes.server)
    : shareCleartext(http1, http2, limits, writeTimeout, crowd);
  // The other loopback address has a socket of its own, whose connections are the port's.
  const other = createTcpServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    http1.emit("connection", socket);
  });

  let closed: Promise<unknown> | undefined;
  const stopListening = () => {
    closed ??= Promise.all([http1, other].map(closeListener));
    return closed;
  };

  return {
    http1,
    serve: ({ listener: given, takeStream = () => false }) => {
      serve = given;
      take = takeStream;
    },
    endAfter: pipelining.endAfter,
    listen: (host, port, isShared = false) =>
      listenOnLoopbacks(http1, other, { host, port, isShared }),
    listenOnSocket: (descriptor) => listenOnSocket(http1, descriptor),
    renewCertificate: (renewed) => handshakes?.renew(renewed),
    drain: () => {
      draining = true;
      http2.drain();
    },
    stopListening: () => void stopListening(),
    close: async () => {
      const allClosed = stopListening();
      http2.finish();
      // Callers who have heard that the next answer is the last have nothing on its way.
      const { stopGraceMs, lingerMs } = limits;
      const times = { stopGraceMs, lingerMs: draining ? 0 : lingerMs };
      await endConnections(http1, connections, allClosed, times);
      writeTimeout.end();
      // What it looks for in vain from now on are late requests.
      http1.close();
    },
  };
}

/** Ends the connections as they become idle, and those that are left after the grace. */
async function endConnections(
  http1: Server,
  connections: Connections,
  allClosed: Promise<unknown>,
  { lingerMs, stopGraceMs }: Pick<PortLimits, "lingerMs" | "stopGraceMs">,
): Promise<void> {
  let reaper: NodeJS.Timeout | undefined;
  const closeIdle = () => {
    writeDue();
    http1.closeIdleConnections();
  };
  const lingering = setTimeout(() => {
    connections.finish();
    // Connections become idle one by one as their calls finish.
    reaper = setInterval(closeIdle, idleCheckMs);
    closeIdle();
  }, lingerMs);
  const cutOff = setTimeout(() => {
    writeDue();
    connections.cutOff();
  }, stopGraceMs);
  await allClosed;
  clearTimeout(lingering);
  clearInterval(reaper);
  clearTimeout(cutOff);
}

/**
 * Resolves when the server has no connection left. One of HTTP closes those at once that are idle,
 * where it closes by itself, and resets who sends a request on one of them in that moment.
 */
function closeListener(server: TcpServer): Promise<unknown> {
  return new Promise((done) => TcpServer.prototype.close.call(server, done));
}

function createHttp1(
  limits: PortLimits,
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const server = createServer(
    {
      // What is missing and what is expected is refused as anything else is, by the listener.
      requireHostHeader: false,
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: limits.requestTimeoutMs,
      // Bodies have a deadline of the listener's, which can answer; this only ends what is left.
      requestTimeout: limits.requestTimeoutMs + limits.stopGraceMs,
      keepAliveTimeout: limits.idleTimeoutMs,
      connectionsCheckingInterval: Math.min(limits.requestTimeoutMs, 1_000),
    },
    listener,
  );
  return server.on("checkExpectation", listener);
}

/**
 * A peer that disconnects is not an error of ours. Node reports it to a listener, even if that
 * listener was removed in the meantime.
 */
function ignore(): void {}

/**
 * Once a request is answered, drops what comes of it still: the next one on the connection stands
 * behind that. Node does so itself where nobody has begun to read.
 */
function dropUnread(request: IncomingMessage, response: ServerResponse): void {
  response.once("finish", () => {
    if (request.readableEnded) return;
    request.removeAllListeners("readable");
    setImmediate(() => request.resume());
  });
}
