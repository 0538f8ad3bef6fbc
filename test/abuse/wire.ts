import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionOptions,
  connect,
  type OutgoingHttpHeaders,
} from "node:http2";
import { connect as connectTcp, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { proxyAddress } from "./service.ts";

/** The address of somebody whom nobody has seen before. */
export function stranger(): string {
  const part = () => Math.floor(Math.random() * 256);
  return `198.${part()}.${part()}.${part()}`;
}

/** A connection of the proxy by which strangers come. */
export function openSocket(port: number): Socket {
  const socket = connectTcp({ port, host: "127.0.0.1", localAddress: proxyAddress });
  return socket.on("error", () => {});
}

export function openSession(port: number, options: ClientSessionOptions = {}): ClientHttp2Session {
  const createConnection = () => openSocket(port);
  return connect(`http://127.0.0.1:${port}`, { createConnection, ...options }).on(
    "error",
    () => {},
  );
}

/** Resolves when it is gone, or when the time is over and it was made to go. */
export async function gone(
  one: Socket | ClientHttp2Session | ClientHttp2Stream,
  stop: AbortSignal,
  forMs = 60_000,
): Promise<void> {
  const end = () => void one.destroy();
  if (stop.aborted) end();
  stop.addEventListener("abort", end);
  const late = setTimeout(end, forMs);
  if (!one.destroyed) await new Promise((resolve) => one.once("close", resolve));
  clearTimeout(late);
  stop.removeEventListener("abort", end);
}

/** A request of a stranger, or of whoever the headers say. */
export function ask(
  session: ClientHttp2Session,
  path: string,
  fields: OutgoingHttpHeaders,
  body?: Uint8Array,
): ClientHttp2Stream | undefined {
  if (session.closed || session.destroyed) return undefined;
  const head = { ":method": "POST", ":path": path, "x-forwarded-for": stranger(), te: "trailers" };
  const stream = session.request({ ...head, ...fields }, { endStream: false });
  stream.on("error", () => {});
  if (body !== undefined) stream.end(body);
  return stream;
}

/** Does something over and over in several places until it is time to stop. */
export async function repeat(
  places: number,
  stop: AbortSignal,
  step: () => Promise<unknown> | unknown,
): Promise<void> {
  const place = async () => {
    while (!stop.aborted) {
      await Promise.resolve(step()).catch(() => {});
      // Who abuses has one core here, as the service does.
      await pause(5);
    }
  };
  await Promise.all(Array.from({ length: places }, place));
}
