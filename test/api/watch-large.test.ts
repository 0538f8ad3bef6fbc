// What all watches hold is bounded: many read less at a time, and large events go to a few at once.

import { getEventListeners } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { v7 } from "uuid";
import { WatchEventsRequestSchema } from "../../gen/iam/event/v1/watch_pb.js";
import { heldBytesOf, watchLimits } from "../../src/api/watch.ts";
import { createWatchShare } from "../../src/api/watch-share.ts";
import { action } from "../../src/domain/action.ts";
import { anyNoun, happened, startMs, switching } from "../cases/events.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { watching } from "../harness/watches.ts";

test("each of many watches reads its part of allHeldBytes, and largeBytes at least", () => {
  const { heldBytes, allHeldBytes, largeBytes } = watchLimits;
  const few = allHeldBytes / heldBytes;
  expect([1, few, few + 1].map((watches) => heldBytesOf(watches))).toEqual([
    heldBytes,
    heldBytes,
    Math.floor(allHeldBytes / (few + 1)),
  ]);
  const many = allHeldBytes / largeBytes;
  expect([many - 1, many, many + 1].map((watches) => heldBytesOf(watches))).toEqual([
    Math.floor(allHeldBytes / (many - 1)),
    largeBytes,
    largeBytes,
  ]);
});

/** More than a stream of HTTP/2 buffers, so that who reads nothing is waited for. */
const largeBytes = 100_000;
const limits = { largeBytes, allHeldBytes: 0, largeEvents: 2, largeEventsOfOrganization: 1 };
const organizations = [v7(), v7(), v7()] as const;

let server: TestServer;
let sessions: ClientHttp2Session[] = [];

beforeAll(async () => {
  // Connect tells the console of callers who leave; `start/process` makes that a part of the log.
  jest.spyOn(console, "error").mockReturnValue();
  server = await startServer({ watchLimits: limits });
  for (const owner of organizations) await happen(owner, largeBytes + 1);
});

afterAll(async () => {
  for (const session of sessions) session.destroy();
  sessions = [];
  await server.close();
  jest.restoreAllMocks();
});

/** Has an event with a payload of so many bytes happen; answers its position. */
function happen(owner: string, bytes: number): Promise<bigint> {
  const [added] = switching(0);
  const { length } = JSON.stringify({ ...added!.payload, script: "" });
  const event = { ...added!, payload: { ...added!.payload, script: "x".repeat(bytes - length) } };
  const place = { noun: anyNoun(action), id: v7(), owner, actor: "test", timeMs: startMs };
  return happened(server, { ...place, events: [event] });
}

/** Begins a watch that takes nothing, once its first answer is on its way; answers how to go. */
async function stuck(resourceOwner: string, sequence = 0n): Promise<() => Promise<void>> {
  const session = connect(server.url, { settings: { initialWindowSize: 0 } });
  session.on("error", () => {});
  sessions.push(session);
  const request = create(WatchEventsRequestSchema, { resourceOwner, sequence });
  const body = toBinary(WatchEventsRequestSchema, request);
  const stream = session.request({
    ":method": "POST",
    ":path": "/iam.event.v1.EventService/WatchEvents",
    "content-type": "application/grpc",
    te: "trailers",
    authorization: `Bearer ${server.admin.token}`,
  });
  stream.on("error", () => {});
  const begun = new Promise((resolve) => stream.once("response", resolve));
  stream.end(Buffer.concat([Buffer.from([0, 0, 0, 0, body.length]), body]));
  await begun;
  return async () => {
    const closed = new Promise((resolve) => session.once("close", resolve));
    session.destroy();
    await closed;
  };
}

const watch = (resourceOwner: string, sequence = 0n) =>
  watching("grpc", server.url, server.admin.token, { resourceOwner, sequence });

test("a large event is followed by a sign of life, and leaves its place then", async () => {
  const [owner] = organizations;
  // As often as there are places, and once more; those who were sent theirs go on to watch.
  const readers = [watch(owner), watch(owner), watch(owner)];
  for (const [nth, reader] of readers.entries()) {
    const [large, sign] = [await reader.next(), await reader.next()];
    expect(large.event?.type?.type).toBe("action.added");
    expect(sign.event).toBeUndefined();
    expect(sign.processedSequence).toBeGreaterThanOrEqual(large.processedSequence);
    expect(sign.resumeToken).toMatch(new RegExp(`^${sign.processedSequence}-`));
    const small = await happen(owner, 200);
    expect((await reader.positions(nth + 1)).at(-1)).toBe(small);
  }
  for (const reader of readers) await reader.leave();
});

test("nothing is left of a place that was left", async () => {
  const service = { store: server.log, now: Date.now };
  const share = createWatchShare(service, { ...watchLimits, ...limits }, () => 0);
  const { signal } = new AbortController();
  for (let time = 0; time < 3; time += 1) {
    const leave = await share.takePlace(organizations[0], signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    leave();
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  }
});

test("others wait for large events while one of their organization takes none", async () => {
  const [owner, other, third] = organizations;
  const leave = await stuck(owner);
  const waiting = watch(owner);
  let isSent = false;
  const sent = waiting.next().then(() => {
    isSent = true;
  });
  const gone = watch(owner);
  const left = gone.end();
  // Those of others are sent theirs, one after the other, and small ones need no place.
  for (let time = 0; time < 3; time += 1) {
    const reader = watch(other);
    expect((await reader.next()).event?.type?.type).toBe("action.added");
    await reader.leave();
  }
  const after = await happen(third, largeBytes);
  const leaveOther = await stuck(other);
  const last = watch(third);
  let isLastSent = false;
  const lastSent = last.next().then(() => {
    isLastSent = true;
  });
  for (let time = 0; time < 3; time += 1) {
    const small = watch(third, after - 1n);
    expect(await small.positions(1)).toEqual([after]);
    await small.leave();
  }
  expect([isSent, isLastSent]).toEqual([false, false]);
  // Who leaves the line takes no place with it.
  await gone.leave();
  await left;
  await leaveOther();
  await lastSent;
  await leave();
  await sent;
  await Promise.all([waiting, last].map((one) => one.leave()));
});
