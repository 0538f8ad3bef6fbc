import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { createFeed, type Feed, type Followed, feedLimits } from "../../src/store/feed.ts";
import { systemScheduler } from "../../src/store/scheduler.ts";
import type { Store } from "../../src/store/store.ts";
import { isFull } from "../harness/extent.ts";
import { inFull } from "../harness/in-full.ts";
import { fc } from "../harness/laws.ts";
import { append, change, eventsOf } from "./fixture.ts";
import { type SqlitePlace, sqlitePlace } from "./sqlite-place.ts";

// The end of the log that is read for all who follow it: what comes from memory is what the store
// would have answered, and one who follows gets each event once, in order, wherever it comes from.

let place: SqlitePlace;
let store: Store;
let over: AbortController;
beforeEach(async () => {
  // The clock goes with the timers: with one that goes on alone, a slow machine leaves them behind.
  jest.useFakeTimers({ doNotFake: ["setImmediate", "nextTick"] });
  place = await sqlitePlace();
  store = await place.open();
  over = new AbortController();
});
afterEach(async () => {
  over.abort();
  jest.runOnlyPendingTimers();
  jest.useRealTimers();
  await place.remove();
});

const streams = ["app-1", "app-2", "user-1", "app-user-1", "app", "-1"];
const types = ["added", "renamed"];
const versions = new Map<string, number>();
beforeEach(() => versions.clear());

/** One event after the other, the payload of each of so many bytes. */
async function write(events: readonly (readonly [stream: number, bytes: number])[]) {
  const appended = events.map(([index, bytes]) => {
    const stream = streams[index]!;
    const version = versions.get(stream) ?? 0;
    versions.set(stream, version + 1);
    const payload = JSON.stringify("x".repeat(bytes));
    const made = { type: types[(version + index) % 2]!, payload };
    const owner = `org-${index % 2}`;
    const actor = `user-${version % 3}`;
    return store.append(append([change(stream, version, { owner, events: [made] })], { actor }));
  });
  // Of one turn, they are one commit.
  for (const each of appended) eventsOf(await each);
}

/** Has the feed read to the end of the log, for somebody who waits behind it. */
async function look(feed: Feed): Promise<void> {
  const { position } = await store.head();
  const behind = feed.beyond(position, 60_000, over.signal);
  const seen = feed.beyond(position - 1n, 60_000, over.signal);
  await jest.advanceTimersByTimeAsync(2 * feedLimits.gatherMs);
  await seen;
  void behind;
}

const someEvents = fc.array(fc.tuple(fc.nat(streams.length - 1), fc.constantFrom(8, 18, 28)), {
  minLength: 10,
  maxLength: 20,
});
const some = (texts: readonly string[]) => fc.subarray([...texts], { minLength: 1 });
const aQuery: fc.Arbitrary<Omit<Followed, "after">> = fc.record(
  {
    limit: fc.integer({ min: 1, max: 8 }),
    payloadBytes: fc.integer({ min: 1, max: 12 }).map((tens) => 10 * tens),
    streams: some(streams),
    kinds: some(["app", "user", "app-user", "ap", ""]),
    types: some(types),
    owner: fc.constantFrom("org-0", "org-1", "none"),
    actor: fc.constantFrom("user-0", "user-1"),
  },
  { requiredKeys: ["limit"] },
);
const limits = fc.record({
  heldEvents: fc.integer({ min: 1, max: 25 }),
  heldBytes: fc.integer({ min: 50, max: 900 }),
  readEvents: fc.integer({ min: 1, max: 7 }),
});
const runs = { numRuns: isFull ? 50 : 12 };

describe("the end of the log in memory", () => {
  test("answers what the store would, from each place that it holds", async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(
        limits,
        someEvents,
        fc.array(aQuery, { minLength: 5, maxLength: 9 }),
        async (held, events, queries) => {
          const feed = createFeed(store, held);
          await write([[0, 1]]);
          await look(feed);
          const middle = Math.floor(events.length / 2);
          for (const half of [events.slice(0, middle), events.slice(middle)]) {
            await write(half);
            await look(feed);
          }
          const { position: end } = await store.head();
          const places = Array.from({ length: events.length + 3 }, (_, i) => end + 1n - BigInt(i));
          const known = places.filter((after) => feed.search({ after, limit: 1 }) !== undefined);
          // It holds what is last, without a gap, and no more than it may.
          expect(known).toEqual(places.slice(1, known.length + 1));
          expect(known.length - 1).toBeLessThanOrEqual(held.heldEvents);
          const kept = feed.search({ after: known.at(-1)!, limit: held.heldEvents })!.events;
          const sizes = kept.map(({ payload }) => Buffer.byteLength(payload));
          const bytes = sizes.reduce((sum, size) => sum + size, 0);
          expect(bytes).toBeLessThanOrEqual(held.heldBytes);
          for (const after of known) {
            for (const query of queries) {
              expect(feed.search({ ...query, after })).toEqual(
                await store.search({ ...query, after }),
              );
              compared += 1;
            }
          }
        },
      ),
      runs,
    );
    expect(compared).toBeGreaterThan(runs.numRuns);
  });

  inFull("and the store give each event once to one who follows, in order", async () => {
    let [held, read] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        limits,
        fc.array(fc.tuple(someEvents, fc.array(fc.boolean(), { minLength: 3, maxLength: 3 })), {
          maxLength: 8,
        }),
        fc.tuple(aQuery, aQuery, aQuery),
        async (bounds, rounds, queries) => {
          const feed = createFeed(store, bounds);
          const { position: start } = await store.head();
          const follower = (query: (typeof queries)[number]) => ({
            query,
            after: start,
            got: [] as bigint[],
          });
          const followers = queries.map(follower);
          const step = async (one: ReturnType<typeof follower>) => {
            const asked = { ...one.query, after: one.after };
            const kept = feed.search(asked);
            if (kept === undefined) read += 1;
            else held += 1;
            const page = kept ?? (await store.search(asked));
            one.got.push(...page.events.map(({ position }) => position));
            one.after = page.through;
            return page.isEnd;
          };
          for (const [events, awake] of rounds) {
            await write(events);
            await look(feed);
            // Some sleep through rounds, and wake up behind what is held.
            for (const [index, one] of followers.entries()) if (awake[index]) await step(one);
          }
          await look(feed);
          for (const one of followers) {
            // A page has one event at least.
            for (let pages = 0; !(await step(one)); pages += 1) expect(pages).toBeLessThan(200);
          }
          for (const { query, got } of followers) {
            const { limit: _, payloadBytes: __, ...where } = query;
            const all = await store.search({ ...where, after: start, limit: 1_000 });
            expect(got).toEqual(all.events.map(({ position }) => position));
          }
        },
      ),
      runs,
    );
    expect(Math.min(held, read)).toBeGreaterThan(runs.numRuns / 4);
  });

  test("holds each event once, however often it is looked at while it is read", async () => {
    const slow = {
      ...store,
      search: async (query: Parameters<Store["search"]>[0]) => {
        feed.wake();
        await jest.advanceTimersByTimeAsync(2 * feedLimits.gatherMs);
        return store.search(query);
      },
    };
    const feed = createFeed(slow, { ...feedLimits, readEvents: 1 });
    await write([[0, 8]]);
    void feed.beyond(9n, 60_000, over.signal);
    await look(feed);
    await write(Array.from({ length: 3 }, () => [0, 8] as const));
    await look(feed);
    const held = feed.search({ after: 1n, limit: 9 });
    expect(held?.events.map(({ position }) => position)).toEqual([2n, 3n, 4n]);
  });

  test("is read once for all, and anew where more was written than it holds", async () => {
    let searches = 0;
    const counted = {
      ...store,
      search: (query: Parameters<Store["search"]>[0]) => {
        searches += 1;
        return store.search(query);
      },
    };
    const feed = createFeed(counted, { ...feedLimits, heldEvents: 5 });
    expect(feed.search({ after: 0n, limit: 1 })).toBeUndefined();
    await write([[0, 1]]);
    for (let times = 0; times < 100; times += 1) void feed.beyond(1n, 60_000, over.signal);
    await look(feed);
    expect([searches, feed.search({ after: 0n, limit: 1 })]).toEqual([0, undefined]);
    await write(Array.from({ length: 5 }, () => [0, 1] as const));
    await look(feed);
    expect([searches, feed.search({ after: 1n, limit: 9 })?.events.length]).toEqual([1, 5]);
    await write(Array.from({ length: 6 }, () => [0, 1] as const));
    await look(feed);
    expect([searches, feed.search({ after: 11n, limit: 9 })]).toEqual([1, undefined]);
    expect(feed.search({ after: 12n, limit: 9 })).toEqual({
      events: [],
      through: 12n,
      isEnd: true,
    });
    expect(feed.search({ after: 13n, limit: 9 })).toBeUndefined();
  });
});

describe("what is held", () => {
  const query = { after: 0n, streams: ["user-1"], limit: 9 };
  const textsIn = (feed: Feed) => feed.search(query)?.events.map(({ payload }) => payload);

  test("is without what was erased since, once it is looked at", async () => {
    const feed = createFeed(store);
    const secret = { type: "added", payload: '{"name":"Ada"}' };
    await look(feed);
    await store.append(append([change("user-1", 0, { events: [secret] })]));
    await look(feed);
    expect(textsIn(feed)).toEqual([secret.payload]);
    const events = [{ type: "user.erased", payload: "{}" }];
    await store.append(append([change("user-1", 1, { events, state: undefined, row: undefined })]));
    await look(feed);
    expect(textsIn(feed)).toEqual(["", "{}"]);
  });

  test.each([
    [feedLimits.heldMs, true],
    [feedLimits.heldMs + 1, false],
  ])("is shown %d ms behind the last look: %s", async (ms, isShown) => {
    let nowMs = 0;
    const feed = createFeed(store, feedLimits, { ...systemScheduler, nowMs: () => nowMs });
    await store.append(append([change("user-1", 0)]));
    await look(feed);
    const { position: after } = await store.head();
    nowMs = ms;
    expect(feed.search({ ...query, after }) !== undefined).toBe(isShown);
  });
});
