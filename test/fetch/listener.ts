import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { AllowList } from "../../src/fetch/allow.ts";
import { parseAllowList } from "../../src/fetch/allow.ts";
import { FetchFailed, type FetchReason } from "../../src/fetch/failed.ts";
import type { Certificate } from "./certificate.ts";

/** A server on a free port of 127.0.0.1 that says whatever a test wants, byte for byte. */
export interface Listener {
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** Connections so far, whether or not anything was sent on them. */
  readonly connections: () => number;
  /** The heads of the requests so far. */
  readonly requests: () => readonly string[];
  /** Stops listening; resolves once the other side has closed every connection. */
  close(): Promise<void>;
}

/**
 * Calls `answer` once per connection, when the head of the request has come. With a certificate it
 * speaks TLS.
 */
export async function listen(
  answer: (socket: Socket, head: string) => void = (socket) => socket.end(ok("")),
  certificate?: Certificate,
): Promise<Listener> {
  const requests: string[] = [];
  let connections = 0;
  const take = (socket: Socket) => {
    connections += 1;
    let head = "";
    socket.on("error", () => socket.destroy());
    socket.on("data", (bytes) => {
      if (head.includes("\r\n\r\n")) return;
      head += bytes.toString("latin1");
      if (!head.includes("\r\n\r\n")) return;
      requests.push(head);
      answer(socket, head);
    });
  };
  const server = certificate ? createTlsServer(certificate, take) : createServer(take);
  const port = await start(server);
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    connections: () => connections,
    requests: () => requests,
    close: () => stop(server),
  };
}

export async function start(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Never destroys a connection: one that the fetcher leaves open keeps the test from ending. */
export async function stop(server: Server): Promise<void> {
  server.close();
  await once(server, "close");
}

/** A whole answer of HTTP/1.1 with status 200. */
export function ok(body: string, ...headers: readonly string[]): string {
  return respond(200, [`content-length: ${Buffer.byteLength(body)}`, ...headers], body);
}

export function respond(status: number, headers: readonly string[], body = ""): string {
  return [`HTTP/1.1 ${status} Status`, ...headers, "", body].join("\r\n");
}

export function redirect(location: string, status = 302): string {
  return respond(status, [`location: ${location}`, "content-length: 0"]);
}

export function allowing(text: string): AllowList {
  const parsed = parseAllowList(text);
  if ("problem" in parsed) throw new TypeError(parsed.problem);
  return parsed.allow;
}

/** How a fetch failed; throws when it did not, or with anything but the one declared error. */
export async function failureOf(fetching: Promise<unknown>): Promise<FetchFailed> {
  const outcome = await fetching.then(
    () => "the fetch succeeded",
    (error: unknown) => error,
  );
  if (outcome instanceof FetchFailed) return outcome;
  throw new TypeError(`not a FetchFailed: ${outcome}`);
}

export async function reasonOf(fetching: Promise<unknown>): Promise<FetchReason> {
  return (await failureOf(fetching)).reason;
}
