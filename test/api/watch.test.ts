import { setImmediate as soon } from "node:timers/promises";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { createContextValues, createHandlerContext } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { EventService } from "../../gen/iam/event/v1/event_service_pb.js";
import {
  type WatchEventsRequest,
  WatchEventsRequestSchema,
} from "../../gen/iam/event/v1/watch_pb.js";
import { createSandbox } from "../../src/actions/sandbox.ts";
import { type Call, callKey } from "../../src/api/call.ts";
import type { Service } from "../../src/api/service.ts";
import { type WatchLimits, watchHandlers, watchLimits } from "../../src/api/watch.ts";
import { action } from "../../src/domain/action.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { createFetcher } from "../../src/fetch/fetcher.ts";
import { createKeyPairs } from "../../src/secrets/key-pairs.ts";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { anyNoun, happened, startMs, switching } from "../cases/events.ts";
import { givenUser, startServer, type TestServer } from "../harness/server.ts";

// The handler itself, so that answers are taken one by one and time goes on when a test says so.

const instance = { level: "instance" } as const;

let server: TestServer;
let nowMs: number;
/** Events that the watches of a test read from the store, by search. */
let read: number[];
/** Milliseconds that they were ready to wait, and how to wake them. */
let waits: { readonly ms: number; readonly end: (hasGrown: boolean) => void }[];
let owner: string;
let caller: { readonly userId: string; readonly token: string; readonly tokenId: string };

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

beforeEach(async () => {
  [nowMs, read, waits, owner] = [Date.now(), [], [], v7()];
  const membership = { scope: instance, roles: ["IAM_OWNER_VIEWER"] } as const;
  caller = await givenUser(server, v7(), [membership]);
});

function watchesWith(limits: Partial<WatchLimits> = {}) {
  const { execute, store, keyring, passwords } = server;
  const service: Service = {
    ...{ execute, keyring, passwords, ...createFetcher({ allow: [] }) },
    keyPairs: createKeyPairs({ waitingMax: 0 }),
    ...{ newId: () => v7(), random: Buffer.alloc, publicUrl: () => "", now: () => nowMs },
    watched: new Set(),
    findTraces: async () => ({}),
    tryProvider: async () => ({ steps: [], loginUrl: "" }),
    sandbox: createSandbox({ random: Buffer.alloc }),
    store: {
      ...store,
      async search(query) {
        const page = await store.search(query);
        read.push(page.events.length);
        return page;
      },
    },
    feed: {
      beyond: (_position, ms, signal) =>
        new Promise((resolve) => {
          waits.push({ ms, end: resolve });
          signal.addEventListener("abort", () => resolve(false));
          if (signal.aborted) resolve(false);
        }),
      search: () => undefined,
      linkAt: () => undefined,
      wake: () => {},
    },
  };
  const { watchEvents } = watchHandlers(service, { ...watchLimits, ...limits });
  return (init: MessageInitShape<typeof WatchEventsRequestSchema> = { resourceOwner: owner }) => {
    const gone = new AbortController();
    const call: Call = {
      caller: { userId: caller.userId, organization: "", memberships: [] },
      admission: { shown: { kind: "personal", tokenHash: hashSecret(caller.token) } },
      organization: "",
      isForInactive: false,
      permission: "events.read",
      ownerPermission: "org.event.watch",
      acceptLanguage: "",
    };
    const context = createHandlerContext({
      service: EventService,
      method: EventService.method.watchEvents,
      ...{ protocolName: "grpc", requestMethod: "POST", url: "http://localhost" },
      requestSignal: gone.signal,
      contextValues: createContextValues().set(callKey, call),
    });
    const request: WatchEventsRequest = create(WatchEventsRequestSchema, init);
    const answers = watchEvents(request, context);
    return { next: () => answers.next(), leave: () => gone.abort() };
  };
}

function happens(count: number, payload: object = {}): Promise<bigint> {
  const [added, ...switched] = switching(count - 1);
  const events = [{ ...added!, payload: { ...added!.payload, ...payload } }, ...switched];
  const place = { noun: anyNoun(action), id: v7(), owner, actor: "test", timeMs: startMs };
  return happened(server, { ...place, events });
}

async function loses(type: string, payload: object): Promise<void> {
  const { userId: id } = caller;
  const [stored] = await server.store.load([`user-${id}`]);
  const place = { noun: anyNoun(user), id, owner: stored!.owner, actor: "test", timeMs: startMs };
  await happened(server, { ...place, events: [{ type, payload }] });
}

const unauthenticated = { rejection: { reason: "UNAUTHENTICATED" } };

describe("a watch that is read slowly", () => {
  test("holds as many events as it may, and reads on when they are taken", async () => {
    await happens(35);
    const watch = watchesWith({ heldEvents: 10 })();
    for (let taken = 1; taken <= 35; taken += 1) {
      await watch.next();
      expect(read.length).toBe(Math.ceil(taken / 10));
    }
    expect(read).toEqual([10, 10, 10, 5]);
    watch.leave();
  });

  test("holds as many bytes as it may, and any event that is larger", async () => {
    const text = "ä".repeat(500);
    for (let made = 0; made < 5; made += 1) await happens(1, { text });
    await happens(1, { text: "x".repeat(5_000) });
    await happens(1, { text });
    const watch = watchesWith({ heldBytes: 2_400 })();
    for (let taken = 1; taken <= 7; taken += 1) await watch.next();
    expect(read).toEqual([2, 2, 1, 1, 1]);
    watch.leave();
  });

  test("goes on for a moment with what was there when the caller loses the right", async () => {
    await happens(6);
    const watch = watchesWith({ heldEvents: 4, trustMs: 1_000 })();
    await watch.next();
    await loses("user.token.removed", { tokenId: caller.tokenId });
    nowMs += 999;
    expect(await watch.next()).toMatchObject({ done: false });
    nowMs += 1;
    await expect(watch.next()).rejects.toMatchObject(unauthenticated);
    expect(await watch.next()).toMatchObject({ done: true });
  });

  test("sends nothing that it reads after that, however soon", async () => {
    await happens(6);
    const watch = watchesWith({ heldEvents: 4, trustMs: 1_000 })();
    await watch.next();
    await loses("user.deactivated", {});
    for (let taken = 2; taken <= 4; taken += 1) await watch.next();
    await expect(watch.next()).rejects.toMatchObject(unauthenticated);
  });
});

test.each([1, 3])("watches take turns, %i events each", async (turnEvents) => {
  await happens(7);
  const open = watchesWith({ turnEvents });
  const order: string[] = [];
  const follow = async (name: string) => {
    const watch = open();
    for (let taken = 1; taken <= 7; taken += 1) {
      await watch.next();
      order.push(name);
    }
    watch.leave();
  };
  await Promise.all(["a", "b"].map(follow));
  const turns = order.join("").match(/a+|b+/g) ?? [];
  expect(turns.slice(0, 4)).toEqual(["a", "b", "a", "b"].map((name) => name.repeat(turnEvents)));
});

describe("a watch without news", () => {
  test("says so when it is due, however often it wakes up for what does not match", async () => {
    const watch = watchesWith({ silenceMs: 1_000 })();
    const first = await watch.next();
    const processedSequence = await server.head();
    const resumeToken = expect.stringMatching(`^${processedSequence}-[0-9a-f]{16}$`);
    expect(first.value).toEqual({ processedSequence, resumeToken });
    const second = watch.next();
    for (const [index, ms] of [1_000, 700, 400, 100].entries()) {
      const { ms: waited, end } = await nthWait(index);
      expect(waited).toBe(ms);
      nowMs += 300;
      end(index < 3);
    }
    expect((await second).value).toEqual({ processedSequence, resumeToken });
    watch.leave();
  });

  test("counts from the last event, and waits no longer when the clock is set back", async () => {
    await happens(1);
    const watch = watchesWith({ silenceMs: 1_000 })();
    await watch.next();
    nowMs -= 5_000;
    const second = watch.next();
    expect((await nthWait(0)).ms).toBe(1_000);
    watch.leave();
    expect(await second).toMatchObject({ done: true });
  });

  test("says how far it has come when others wrote", async () => {
    const watch = watchesWith({ silenceMs: 1_000 })();
    await watch.next();
    const second = watch.next();
    owner = "others";
    const last = await happens(3);
    nowMs += 1_000;
    (await nthWait(0)).end(true);
    expect((await second).value).toMatchObject({ processedSequence: last });
    watch.leave();
  });
});

describe("as many watches as there may be", () => {
  const tooMany = { rejection: { reason: "TOO_MANY_WATCHES" } };

  test("are all that there are", async () => {
    const open = watchesWith({ watches: 2 });
    const watches = [open(), open()];
    for (const watch of watches) await watch.next();
    await expect(open().next()).rejects.toMatchObject(tooMany);
    for (const watch of watches) watch.leave();
    for (const again of [open(), open()]) {
      expect(await again.next()).toMatchObject({ done: false });
      again.leave();
    }
  });

  test("are shared: one user has at most so many of them", async () => {
    const open = watchesWith({ watches: 9, watchesOfUser: 1 });
    const first = open();
    await first.next();
    await expect(open().next()).rejects.toMatchObject(tooMany);
    first.leave();
    const again = open();
    expect(await again.next()).toMatchObject({ done: false });
    again.leave();
  });

  test("are counted before anything is read, however many begin at once", async () => {
    const open = watchesWith({ watches: 2 });
    const watches = [open(), open(), open()];
    const begun = await Promise.allSettled(watches.map((watch) => watch.next()));
    expect(begun.map(({ status }) => status).toSorted()).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
    ]);
    for (const watch of watches) watch.leave();
  });

  test("are fewer when a caller leaves, whatever the watch does then", async () => {
    const open = watchesWith({ watches: 1 });
    await happens(2);
    const reading = open();
    await reading.next();
    reading.leave();
    const waiting = open({ resourceOwner: "none" });
    await waiting.next();
    const end = waiting.next();
    await nthWait(0);
    waiting.leave();
    expect(await end).toMatchObject({ done: true });
    const leaving = open();
    const begun = leaving.next();
    leaving.leave();
    expect(await begun).toMatchObject({ done: true });
    const last = open();
    expect(await last.next()).toMatchObject({ done: false });
    last.leave();
  });

  test("do not count those that are refused", async () => {
    const open = watchesWith({ watches: 1 });
    await loses("user.membership.removed", { scope: instance });
    const denied = { rejection: { reason: "PERMISSION_DENIED" } };
    for (let times = 0; times < 3; times += 1) {
      await expect(open().next()).rejects.toMatchObject(denied);
    }
  });
});

/** The wait with this number, as soon as a watch has come so far. */
async function nthWait(index: number) {
  while (waits[index] === undefined) await soon();
  return waits[index];
}
