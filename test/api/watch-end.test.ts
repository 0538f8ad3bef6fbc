import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setImmediate as soon } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { v7 } from "uuid";
import { ServerReflection } from "../../gen/grpc/reflection/v1/reflection_pb.js";
import { action } from "../../src/domain/action.ts";
import { user } from "../../src/domain/user/state/user.ts";
import type { NewEvent } from "../../src/event.ts";
import { anyNoun, happened, startMs, switching } from "../cases/events.ts";
import { startTwin } from "../cases/twin.ts";
import { givenUser, startServer, type TestServer } from "../harness/server.ts";
import { type Watch, type WatchClient, watchClients, watching } from "../harness/watches.ts";

const instance = { level: "instance" } as const;
const hourMs = 3_600_000;

let server: TestServer;
/** How far the clock of the server is ahead. */
let aheadMs = 0;

beforeAll(async () => {
  // Connect tells the console of callers who leave; `start/process` makes that a part of the log.
  jest.spyOn(console, "error").mockReturnValue();
  server = await startServer({
    watchLimits: { watches: 2 },
    now: () => Date.now() + aheadMs,
  });
});

afterAll(async () => {
  await server.close();
  jest.restoreAllMocks();
});

function happens(owner: string, count = 1, at: Pick<TestServer, "log"> = server) {
  const place = { noun: anyNoun(action), id: v7(), owner, actor: "test", timeMs: startMs };
  return happened(at, { ...place, events: switching(count - 1) });
}

/** How callers lose what they need, told by the events that take it. */
const losses: readonly (readonly [
  what: string,
  lose: (tokenId: string) => NewEvent | undefined,
  code: number,
  reason: string,
])[] = [
  [
    "the token was removed",
    (tokenId) => ({ type: "user.token.removed", payload: { tokenId } }),
    16,
    "UNAUTHENTICATED",
  ],
  [
    "the user was deactivated",
    () => ({ type: "user.deactivated", payload: {} }),
    16,
    "UNAUTHENTICATED",
  ],
  ["the user was removed", () => ({ type: "user.removed", payload: {} }), 16, "UNAUTHENTICATED"],
  [
    "the role was lost",
    () => ({ type: "user.membership.removed", payload: { scope: instance } }),
    7,
    "PERMISSION_DENIED",
  ],
  ["the token expired", () => undefined, 16, "UNAUTHENTICATED"],
];

describe.each(watchClients)("a watch over %s ends", (client) => {
  test.each(losses)("when %s, without any later event", async (_, lose, code, reason) => {
    const owner = v7();
    const expirationMs = Date.now() + aheadMs + hourMs;
    const roles = [{ scope: instance, roles: ["IAM_OWNER_VIEWER"] }] as const;
    const { userId: id, token, tokenId } = await givenUser(server, v7(), roles, { expirationMs });
    const watch = watching(client, server.url, token, { resourceOwner: owner });
    await watch.next();
    const before = await happens(owner);
    expect(await watch.positions(1)).toEqual([before]);

    const event = lose(tokenId);
    const [stored] = await server.store.load([`user-${id}`]);
    const place = { noun: anyNoun(user), id, owner: stored!.owner, actor: "test", timeMs: startMs };
    if (event === undefined) aheadMs += 2 * hourMs;
    else await happened(server, { ...place, events: [event] });
    await happens(owner);
    expect(await watch.end()).toEqual({ code, reason, positions: [] });
  });

  test("when the server stops, at once, whether or not there is more to send", async () => {
    // Past the grace the test itself would run out of time.
    const stopping = await startServer({ limits: { stopGraceMs: 60_000 } });
    const owner = v7();
    await happens(owner, 1_000, stopping);
    const waiting = watching(client, stopping.url, stopping.admin.token, { resourceOwner: v7() });
    await waiting.next();
    const busy = watching(client, stopping.url, stopping.admin.token);
    const [first] = await busy.positions(1);
    expect(first).toBe(1n);

    const stopped = stopping.close();
    const end = { code: 14, reason: "SHUTTING_DOWN" };
    expect(await waiting.end()).toEqual({ ...end, positions: [] });
    const { positions, ...how } = await busy.end();
    expect(how).toEqual(end);
    // What came is the beginning of the log, without a gap.
    expect(positions).toEqual(positions.map((_, index) => BigInt(index) + 2n));
    await stopped;
  });

  test("when the log cannot be read, and goes on where it can", async () => {
    const lost = await startServer({ watchLimits: { silenceMs: 50 } });
    const twin = await startTwin(lost);
    const owner = v7();
    const watch = watching(client, lost.url, lost.admin.token, { resourceOwner: owner });
    const { processedSequence: sequence } = await watch.next();
    await lost.store.close();
    const last = await happens(owner, 2, twin);
    expect(await watch.end()).toEqual({ code: 14, reason: "UNAVAILABLE", positions: [] });
    const again = watching(client, twin.url, lost.admin.token, { resourceOwner: owner, sequence });
    expect(await again.positions(2)).toEqual([last - 1n, last]);
    await again.leave();
    await twin.close();
    await lost.close();
  });
});

test("every other stream ends when the server stops", async () => {
  const stopping = await startServer({ limits: { stopGraceMs: 60_000 } });
  const client = createClient(ServerReflection, createGrpcTransport({ baseUrl: stopping.url }));
  const over = Promise.withResolvers<void>();
  async function* asked() {
    yield { messageRequest: { case: "listServices", value: "" } } as const;
    await over.promise;
  }
  const answers = client.serverReflectionInfo(asked())[Symbol.asyncIterator]();
  await answers.next();
  const stopped = stopping.close();
  await expect(answers.next()).rejects.toMatchObject({ code: 14 });
  over.resolve();
  await stopped;
});

describe("as many watches as the server holds", () => {
  const tooMany = { code: 8, reason: "TOO_MANY_WATCHES", positions: [] };
  const open = (client: WatchClient = "grpc") =>
    watching(client, server.url, server.admin.token, { resourceOwner: "none" });
  const opened: Watch[] = [];

  afterEach(() => Promise.all(opened.splice(0).map((watch) => watch.leave())));

  /** Opens a watch as soon as the server has the room. */
  async function take(client?: WatchClient): Promise<void> {
    for (;;) {
      const watch = open(client);
      const answer = await watch.next().catch((ended: object) => ended);
      if (!("code" in answer)) return void opened.push(watch);
      expect(answer).toMatchObject({ code: 8 });
    }
  }

  test.each(watchClients)(
    "refuse one more over %s, and have room when one leaves",
    async (client) => {
      await take(client);
      await take(client);
      expect(await open(client).end()).toEqual(tooMany);
      await opened.pop()!.leave();
      await take(client);
    },
  );

  /** Ways for a caller to end a watch that was begun with this header line. */
  const ends: readonly (readonly [what: string, code: string, line: string, isRead: boolean])[] = [
    ["left", "CANCELED", "x-none: 1", true],
    ["left without having read", "CANCELED", "x-none: 1", false],
    ["had a deadline", "DEADLINE_EXCEEDED", "connect-timeout-ms: 50", true],
    ["had a deadline and did not read", "DEADLINE_EXCEEDED", "connect-timeout-ms: 50", false],
  ];

  test.each(ends)("are fewer when a caller %s", async (_, code, line, isRead) => {
    const owner = v7();
    // More than the sockets of both sides hold.
    if (!isRead) await Promise.all(Array.from({ length: 20 }, () => largeEvent(owner)));
    await take();
    const logged = linesOf(code).length;
    const socket = await begun({ resourceOwner: owner }, line);
    if (!isRead) socket.pause();
    if (code === "CANCELED") socket.destroy();
    // There is room for this one when there is one less.
    await take();
    socket.destroy();
    while (linesOf(code).length === logged) await soon();
    expect(linesOf(code)).toHaveLength(logged + 1);
  });

  /** What was logged of watches that ended so. */
  function linesOf(code: string): readonly string[] {
    const lines = server.logged().filter((text) => text.includes("WatchEvents"));
    return lines.filter((text) => text.includes(`"code":"${code}"`));
  }

  /** The socket of a watch whose answer has begun. */
  async function begun(request: object, line: string): Promise<Socket> {
    const body = Buffer.from(JSON.stringify(request));
    const length = Buffer.alloc(5);
    length.writeUInt32BE(body.byteLength, 1);
    const head = [
      "POST /iam.event.v1.EventService/WatchEvents HTTP/1.1",
      "host: localhost",
      "content-type: application/connect+json",
      `authorization: Bearer ${server.admin.token}`,
      `content-length: ${body.byteLength + length.byteLength}`,
      line,
      "\r\n",
    ];
    const socket = connect({ port: server.port, host: "127.0.0.1" });
    socket.write(Buffer.concat([Buffer.from(head.join("\r\n")), length, body]));
    await once(socket, "data");
    return socket;
  }

  async function largeEvent(owner: string): Promise<void> {
    const place = { noun: anyNoun(action), id: v7(), owner, actor: "test", timeMs: startMs };
    const payload = { ...switching(0)[0]!.payload, script: "x".repeat(1024 * 1024) };
    await happened(server, { ...place, events: [{ type: "action.added", payload }] });
  }
});
