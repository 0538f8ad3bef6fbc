import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionOptions,
  connect,
  type OutgoingHttpHeaders,
} from "node:http2";
import { connect as connectTcp, type Socket } from "node:net";
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

/** A request of a stranger, or of one who the headers say. */
export function ask(
  session: ClientHttp2Session,
  path: string,
  fields: OutgoingHttpHeaders,
  body?: Uint8Array,
): ClientHttp2Stream | undefined {
  if (session.closed || session.destroyed) return undefined;
  // By the name of the service: by another one of this machine, logins are led there first.
  const to = { ":method": "POST", ":path": path, ":authority": "localhost" };
  const head = { ...to, "x-forwarded-for": stranger(), te: "trailers" };
  const stream = session.request({ ...head, ...fields }, { endStream: false });
  stream.on("error", () => {});
  if (body !== undefined) stream.end(body);
  return stream;
}

/** How often an abuse does what it does. */
export interface Pace {
  readonly stop: AbortSignal;
  /** Does something over and over, so many at a time, until it is time to stop. */
  repeat(places: number, step: () => Promise<unknown> | unknown): Promise<void>;
  /** Steps that were begun. */
  count(): number;
}

/** Milliseconds between two looks at who may take a step. */
const tickMs = 20;

/**
 * A pace of at most so many steps in a second, the first at once; what was missed is not made up
 * for.
 */
export function createPace(perSecond: number, stop: AbortSignal): Pace {
  const waiting: (() => void)[] = [];
  let count = 0;
  let due = 1;
  // One timer for all who wait: with one for each, a machine that is late would do nothing else.
  const timer = setInterval(() => {
    due = Math.min(due + (perSecond * tickMs) / 1_000, Math.max(1, (perSecond * tickMs) / 500));
    for (; due >= 1 && waiting.length > 0; due -= 1) waiting.shift()?.();
  }, tickMs);
  stop.addEventListener("abort", () => {
    clearInterval(timer);
    for (const wake of waiting) wake();
  });
  const turn = () => new Promise<void>((resolve) => void waiting.push(resolve));
  return {
    stop,
    count: () => count,
    repeat: async (places, step) => {
      const place = async () => {
        for (await turn(); !stop.aborted; await turn()) {
          count += 1;
          await Promise.resolve(step()).catch(() => {});
        }
      };
      await Promise.all(Array.from({ length: places }, place));
    },
  };
}
