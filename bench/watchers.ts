import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { setTimeout as pause } from "node:timers/promises";
import { create, toBinary } from "@bufbuild/protobuf";
import { EventService } from "../gen/iam/event/v1/event_service_pb.js";
import { WatchEventsRequestSchema } from "../gen/iam/event/v1/watch_pb.js";
import { answerParent } from "./child.ts";

/** Watches the log from a process of its own, as streams of HTTP/2 connections. */

/** Who watches what, and from which position on. */
export interface Watched {
  readonly port: number;
  readonly token: string;
  readonly watchers: number;
  readonly head: bigint;
}

/** The most bytes of a message without an event, which says that the watch is alive. */
const aliveBytesMax = 64;
/** Streams that a server takes on one connection. */
const streamsMax = 100;
const sessions: ClientHttp2Session[] = [];
/** The events that came on each stream, and bytes of one that has not come whole. */
let counts: { events: number; rest: Buffer }[] = [];

/** Begins to watch; answers when every watcher is let in. */
async function open({ port, token, watchers, head }: Watched): Promise<void> {
  const { watchEvents } = EventService.method;
  const message = toBinary(
    WatchEventsRequestSchema,
    create(WatchEventsRequestSchema, { sequence: head }),
  );
  const frame = Buffer.concat([Buffer.alloc(5), message]);
  frame.writeUInt32BE(message.length, 1);
  counts = Array.from({ length: watchers }, () => ({ events: 0, rest: Buffer.alloc(0) }));
  const begun: Promise<void>[] = [];
  for (const [index, count] of counts.entries()) {
    if (index % streamsMax === 0) sessions.push(await openSession(port));
    const stream = sessions.at(-1)?.request({
      ":method": "POST",
      ":path": `/${EventService.typeName}/${watchEvents.name}`,
      "content-type": "application/grpc",
      te: "trailers",
      authorization: `Bearer ${token}`,
    });
    if (stream === undefined) throw new Error("there is no connection");
    stream.on("data", (chunk: Buffer) => take(count, chunk));
    stream.on("error", () => {});
    stream.end(frame);
    begun.push(letIn(stream));
  }
  await Promise.all(begun);
}

async function openSession(port: number): Promise<ClientHttp2Session> {
  const session = connect(`http://127.0.0.1:${port}`);
  await once(session, "connect");
  session.setLocalWindowSize(16 * 1024 * 1024);
  return session;
}

async function letIn(stream: ClientHttp2Stream): Promise<void> {
  const [head] = await once(stream, "response");
  if (head["grpc-status"] !== undefined)
    throw new Error(`a watch was refused: ${head["grpc-status"]}`);
}

function take(count: (typeof counts)[number], chunk: Buffer): void {
  let bytes = count.rest.length === 0 ? chunk : Buffer.concat([count.rest, chunk]);
  while (bytes.length >= 5 && bytes.length >= 5 + bytes.readUInt32BE(1)) {
    if (bytes.readUInt32BE(1) > aliveBytesMax) count.events += 1;
    bytes = bytes.subarray(5 + bytes.readUInt32BE(1));
  }
  count.rest = bytes;
}

/** Waits until each has had so many events, and leaves; rejects where one has other than that. */
async function close({ events }: { readonly events: number }): Promise<void> {
  const untilMs = performance.now() + 120_000;
  const lacks = () => counts.some((count) => count.events < events);
  while (lacks() && performance.now() < untilMs) await pause(50);
  for (const session of sessions.splice(0)) session.destroy();
  const told = new Set(counts.map((count) => count.events));
  if (told.size > 1 || !told.has(events)) {
    throw new Error(`of ${events} events watchers had ${[...told].join(", ")}`);
  }
}

const answers = { open, close };

/** What can be asked of the watchers' process. */
export type WatcherAnswers = typeof answers;

answerParent(answers, () => {});
