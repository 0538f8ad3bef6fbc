import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { LinkedEvent } from "../../src/event.ts";
import { forgedEvent } from "../../src/store/chain/forged.ts";
import { createFeed, type Feed, feedLimits } from "../../src/store/feed.ts";
import { StoreUnavailable } from "../../src/store/store.ts";

const { gatherMs, pollMs } = feedLimits;
const longMs = 60_000;

/** The log as the feed sees it: how far it goes, or that it cannot be read. */
let end: bigint | "unavailable";
/** The position of an event that is not what was appended. */
let forged: bigint | undefined;
let looks: number;
/** Which log it is: after a failover it may be another. */
let past: number;
let feed: Feed;
let over: AbortController;

beforeEach(() => {
  jest.useFakeTimers();
  end = 5n;
  forged = undefined;
  looks = 0;
  past = 1;
  over = new AbortController();
  feed = createFeed({
    head: async () => {
      looks += 1;
      if (end === "unavailable") throw new StoreUnavailable("not now");
      return { position: end, timeMs: 0 };
    },
    linkAt: async (position) => (position === 0n ? undefined : Buffer.alloc(32, past)),
    search: async ({ after, limit }) => {
      if (forged !== undefined && after < forged) throw forgedEvent(eventAt(forged));
      const last = BigInt(Math.min(Number(after) + limit, Number(end)));
      const events = Array.from({ length: Number(last - after) }, (_, i) =>
        eventAt(after + BigInt(i) + 1n),
      );
      return { events, through: last, isEnd: last === end };
    },
  });
});

afterEach(() => {
  // One who waits no longer leaves no timer behind, and the feed none for itself.
  over.abort();
  jest.runOnlyPendingTimers();
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

function eventAt(position: bigint): LinkedEvent {
  const stream = `thing-${position}`;
  return {
    position,
    stream,
    ...{ version: 1, type: "x", owner: "o", actor: "a", timeMs: 0, payload: "{}" },
    link: Buffer.alloc(32, past),
  };
}

/** What those who wait beyond these positions have been told so far. */
function waiting(positions: readonly bigint[], timeoutMs = longMs, signal = over.signal) {
  const told = positions.map((): boolean | undefined => undefined);
  for (const [index, position] of positions.entries()) {
    void feed.beyond(position, timeoutMs, signal).then((hasGrown) => {
      told[index] = hasGrown;
    });
  }
  return told;
}

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

describe("the feed", () => {
  test("tells soon of what is there already", async () => {
    const told = waiting([4n, 5n]);
    await pass(gatherMs);
    expect(told).toEqual([true, undefined]);
  });

  test("lets go of an end with a forged event, so that who waits hears of it", async () => {
    const told = waiting([5n, 7n]);
    await pass(gatherMs);
    const query = { after: 5n, limit: 10 };
    expect(feed.search(query)).toMatchObject({ isEnd: true });
    end = 7n;
    forged = 6n;
    await pass(pollMs);
    expect(told).toEqual([true, undefined]);
    expect(feed.search(query)).toBeUndefined();
    end = 8n;
    await pass(pollMs);
    expect(told).toEqual([true, true]);
    expect(feed.search(query)).toBeUndefined();
    expect(feed.search({ ...query, after: 8n })).toMatchObject({ events: [], isEnd: true });
  });

  test.each([7n, 9n, 4n])(
    "tells all that the log is another, which ends at %s, and holds nothing of the one before",
    async (otherEnd) => {
      const told = waiting([5n, 7n]);
      await pass(gatherMs);
      end = 7n;
      await pass(pollMs);
      expect([told, feed.linkAt(7n)]).toEqual([[true, undefined], Buffer.alloc(32, 1)]);
      end = otherEnd;
      past = 2;
      const more = waiting([9n]);
      await pass(pollMs);
      // While it ends where it did, there is nothing new to tell.
      if (otherEnd === 7n) {
        expect([told, more]).toEqual([[true, undefined], [undefined]]);
        end = 8n;
        await pass(pollMs);
      }
      expect([told, more]).toEqual([[true, true], [true]]);
      expect(feed.search({ after: 5n, limit: 10 })).toBeUndefined();
      expect(feed.search({ after: end, limit: 10 })).toMatchObject({ events: [], isEnd: true });
      expect(feed.linkAt(end)).toEqual(Buffer.alloc(32, 2));
    },
  );

  test("tells of what other processes wrote, at its next look", async () => {
    const told = waiting([5n, 6n, 7n]);
    await pass(gatherMs);
    end = 7n;
    await pass(pollMs - 1);
    expect(told).toEqual([undefined, undefined, undefined]);
    await pass(1);
    expect(told).toEqual([true, true, undefined]);
  });

  test("tells soon of what this process wrote", async () => {
    const told = waiting([5n]);
    await pass(2 * gatherMs);
    end = 6n;
    feed.wake();
    await pass(gatherMs - 1);
    expect(told).toEqual([undefined]);
    await pass(1);
    expect(told).toEqual([true]);
  });

  test("looks once for all who wait and all that is written", async () => {
    waiting(Array.from({ length: 1_000 }, () => 5n));
    for (let times = 0; times < 1_000; times += 1) feed.wake();
    await pass(gatherMs);
    expect(looks).toBe(1);
    await pass(pollMs);
    expect(looks).toBe(2);
  });

  test("does not put a look off, however much is written", async () => {
    waiting([5n]);
    for (let times = 0; times < 10; times += 1) {
      await pass(gatherMs / 2);
      feed.wake();
    }
    expect(looks).toBe(5);
  });

  test("does not look while nobody waits", async () => {
    feed.wake();
    await pass(longMs);
    expect(looks).toBe(0);
    const told = waiting([4n]);
    await pass(longMs);
    expect([told, looks]).toEqual([[true], 1]);
    feed.wake();
    await pass(longMs);
    expect(looks).toBe(1);
  });

  test("says after the time that there is nothing", async () => {
    const told = waiting([5n], 1_000);
    await pass(999);
    expect(told).toEqual([undefined]);
    await pass(1);
    expect(told).toEqual([false]);
    const after = looks;
    await pass(longMs);
    expect(looks - after).toBeLessThanOrEqual(1);
  });

  test("lets go of those who give up, at once, and of nobody else", async () => {
    const giving = new AbortController();
    const gone = waiting([5n, 5n], longMs, giving.signal);
    const told = waiting([5n]);
    await pass(gatherMs);
    giving.abort();
    await pass(0);
    expect([gone, told]).toEqual([[false, false], [undefined]]);
    end = 6n;
    await pass(pollMs);
    expect([gone, told]).toEqual([[false, false], [true]]);
  });

  test("lets nobody wait who has given up already", async () => {
    const told = waiting([0n], longMs, AbortSignal.abort());
    await pass(0);
    expect([told, jest.getTimerCount()]).toEqual([[false], 0]);
  });

  test("looks on while the log cannot be read, and tells when it has grown meanwhile", async () => {
    end = "unavailable";
    const told = waiting([5n, 6n]);
    await pass(gatherMs + 3 * pollMs);
    expect([told, looks]).toEqual([[undefined, undefined], 4]);
    end = 6n;
    await pass(pollMs);
    expect(told).toEqual([true, undefined]);
  });
});
