import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { v7 } from "uuid";
import { watchLimits } from "../../src/api/watch.ts";
import { action } from "../../src/domain/action.ts";
import { anyNoun, happened, startMs, switching } from "../cases/events.ts";
import { startTwin, type Twin } from "../cases/twin.ts";
import { connected } from "../gateway/flight.ts";
import { dataFrame, frameType, headersFrame, openFrames } from "../gateway/frames.ts";
import { isFull } from "../harness/extent.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { watching } from "../harness/watches.ts";

// A watcher who reads nothing costs the server as little as one who waits, and nobody else a thing.

const path = "/iam.event.v1.EventService/WatchEvents";
const owner = v7();
/** More than both sides hold in their buffers. */
const [events, eventBytes] = isFull ? [2_000, 10_000] : [300, 40_000];

let server: TestServer;
/** The service that is watched. */
let twin: Twin;
/** Bytes of payloads that it read from the store for a watcher. */
let readBytes: Map<string, number>;
let last: bigint;

beforeAll(async () => {
  // Connect tells the console of callers who leave; `start/process` makes that a part of the log.
  jest.spyOn(console, "error").mockReturnValue();
  server = await startServer();
  readBytes = new Map();
  twin = await startTwin(server, {
    around: (store) => ({
      ...store,
      async search(query) {
        const page = await store.search(query);
        const bytes = page.events.reduce((sum, { payload }) => sum + payload.length, 0);
        const who = query.types?.[0] ?? "";
        readBytes.set(who, (readBytes.get(who) ?? 0) + bytes);
        return page;
      },
    }),
  });
  const [added] = switching(0);
  const event = { ...added!, payload: { ...added!.payload, script: "x".repeat(eventBytes) } };
  for (let made = 0; made < events; made += 100) {
    const place = { noun: anyNoun(action), id: v7(), owner, actor: "test", timeMs: startMs };
    const name = { name: v7() };
    const many = Array.from({ length: 100 }, () => ({
      ...event,
      payload: { ...event.payload, ...name },
    }));
    last = await happened(server, { ...place, events: many });
  }
});

afterAll(async () => {
  await twin.close();
  await server.close();
  jest.restoreAllMocks();
});

/** The request of a watch that the count knows by the name that comes first. */
function requestOf(who: string): Buffer {
  const body = Buffer.from(
    JSON.stringify({ resourceOwner: owner, eventTypes: [who, "action.added"] }),
  );
  const length = Buffer.alloc(5);
  length.writeUInt32BE(body.byteLength, 1);
  return Buffer.concat([length, body]);
}

/** Begins a watch and reads no further than its first bytes; answers how to go. */
const slow: { readonly [version: string]: (who: string) => Promise<() => void> } = {
  async "HTTP/1.1"(who) {
    const body = requestOf(who);
    const socket = await connected(twin.port);
    const head = [
      `POST ${path} HTTP/1.1`,
      "host: localhost",
      "content-type: application/connect+json",
      `authorization: Bearer ${server.admin.token}`,
      `content-length: ${body.byteLength}`,
      "\r\n",
    ];
    const begun = new Promise((resolve) => socket.once("data", resolve));
    socket.write(Buffer.concat([Buffer.from(head.join("\r\n")), body]));
    await begun;
    socket.pause();
    return () => socket.destroy();
  },
  // Without more room for the stream than it has at first, which is 65,535 bytes.
  async "HTTP/2"(who) {
    const connection = await openFrames(twin.port);
    const fields = { "content-type": "application/grpc+json" };
    const authorization = `Bearer ${server.admin.token}`;
    connection.write(
      headersFrame(1, path, { ...fields, authorization, te: "trailers", end: false }),
      dataFrame(1, requestOf(who), { end: true }),
    );
    await connection.until(({ type }) => type === frameType.data);
    return () => connection.destroy();
  },
};

describe.each(Object.keys(slow))("over %s", (version) => {
  test("a watcher who reads nothing is read to no further, and others go on", async () => {
    const who = `slow over ${version}`;
    const leave = await slow[version]!(who);
    const request = { resourceOwner: owner, eventTypes: ["quick", "action.added"] };
    const other = watching("grpc", twin.url, server.admin.token, request);
    const positions = await other.positions(events);
    expect(positions.at(-1)).toBe(last);
    await other.leave();
    // What it holds, and what is on its way in buffers of both sides.
    const most = watchLimits.heldBytes + 8 * 1024 * 1024;
    expect(readBytes.get(who)).toBeGreaterThan(0);
    expect(readBytes.get(who)).toBeLessThan(most);
    expect(readBytes.get("quick")).toBeGreaterThan(events * eventBytes);
    leave();
  });
});
