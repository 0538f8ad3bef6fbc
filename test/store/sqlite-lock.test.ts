import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { sqliteLimits } from "../../src/store/sqlite/limits.ts";
import { StoreUnavailable } from "../../src/store/store.ts";
import { append, change, claim, eventsOf, expectGapless, things } from "./fixture.ts";
import { recordPast } from "./sqlite-forge.ts";
import type { SqlitePlace } from "./sqlite-place.ts";
import { sqlitePlace } from "./sqlite-place.ts";

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

const create = (stream: string, rest = {}) => append([change(stream, 0, rest)]);
const typed = (type: string) => ({ events: [{ type, payload: "{}" }] });

/** Lets timers and everything that is due run a few times. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await pause(1);
}

/** Whether the promise has settled, as a function to ask later. */
function watch(promise: Promise<unknown>): () => boolean {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  promise.then(settle, settle);
  return () => settled;
}

describe("a lock that another connection holds", () => {
  it("only delays an append when it is short, and what it protected counts", async () => {
    const store = await place.open();
    const db = place.connect();
    db.exec(`
      BEGIN IMMEDIATE;
      INSERT INTO objects VALUES
        (1, 'thing-1', 1, 'org-1', 'thing', '', '{}', 0, 0, 1, '{}', NULL);
      INSERT INTO claims VALUES ('name', 'org-1', 'taken', 'thing-1');
    `);
    recordPast(db, {
      ...{ stream: "thing-1", version: 1, type: "thing.added", payload: "{}" },
      ...{ owner: "org-1", actor: "user-2", timeMs: 0 },
    });
    const made = Promise.all([
      store.append(create("thing-1")),
      store.append(create("thing-2", { take: [claim("taken")] })),
      store.append(create("thing-3")),
    ]);
    const settled = watch(made);
    await turns(5);
    expect(settled()).toBe(false);
    db.exec("COMMIT");
    const [stale, taken, third] = await made;
    expect(stale).toEqual({ kind: "version-conflict", stream: "thing-1" });
    expect(taken).toEqual({ kind: "claim-taken", claim: claim("taken") });
    expect(eventsOf(third)).toMatchObject([{ position: 2n }]);
  });

  it("ends in StoreUnavailable when it is long, without blocking the event loop", async () => {
    const store = await place.open(things(), { busyDeadlineMs: 1_000 });
    const db = place.connect();
    db.exec("BEGIN IMMEDIATE");
    const waiting = store.append(create("thing-1"));
    const settled = watch(waiting);
    let counted = 0;
    while (!settled()) {
      await turns(1);
      counted += 1;
    }
    await expect(waiting).rejects.toThrow(StoreUnavailable);
    // One wait for the whole deadline would leave a turn or two.
    expect(counted).toBeGreaterThan(5);
    db.exec("COMMIT");
    const [event] = eventsOf(await store.append(create("thing-1")));
    expect(event).toMatchObject({ position: 1n, version: 1 });
  });

  it("costs only the appends that waited for too long", async () => {
    const store = await place.open(things(), { busyDeadlineMs: 1_000 });
    const db = place.connect();
    db.exec("BEGIN IMMEDIATE");
    const made = [store.append(create("thing-0"))];
    const settled = watch(made[0]!);
    while (!settled()) {
      made.push(store.append(create(`thing-${made.length}`)));
      await turns(1);
    }
    db.exec("COMMIT");
    const outcomes = await Promise.allSettled(made);
    expect(outcomes[0]).toMatchObject({ status: "rejected" });
    expect(outcomes.at(-1)).toMatchObject({ status: "fulfilled", value: { kind: "appended" } });
  });

  it("never makes SQLite wait for more than 50 ms at a time", () => {
    expect(sqliteLimits.busyTimeoutMs).toBeLessThanOrEqual(50);
  });

  it("does not keep readers waiting", async () => {
    const store = await place.open();
    await store.append(create("thing-1"));
    place.connect().exec("BEGIN IMMEDIATE; UPDATE events SET type = 'x'");
    expect(await store.readAll(0n, 10)).toMatchObject([{ type: "thing.added" }]);
    expect(await store.load(["thing-1"])).toMatchObject([{ version: 1 }]);
    expect(await store.list({ kind: "thing", offset: 0, limit: 1 })).toMatchObject({ total: 1 });
    const { events } = await store.search({ after: 0n, limit: 1, types: ["thing.added"] });
    expect(events).toHaveLength(1);
    expect(await store.head()).toMatchObject({ position: 1n });
    expect(await store.holders({ kind: "name", scope: "" }, 1)).toEqual({ total: 0, streams: [] });
  });

  it("makes the store not ready for as long as it lasts", async () => {
    const store = await place.open(things(), { busyDeadlineMs: 100 });
    const db = place.connect();
    db.exec("BEGIN IMMEDIATE");
    await expect(store.ready()).rejects.toThrow(StoreUnavailable);
    db.exec("COMMIT");
    // One look answers all who ask within a moment, so the change shows with the next.
    while (
      await store.ready().then(
        () => false,
        () => true,
      )
    ) {
      await turns(1);
    }
    await expect(store.ready()).resolves.toBeUndefined();
  });

  it("delays the closing until the accepted appends are through", async () => {
    const store = await place.open();
    const db = place.connect();
    db.exec("BEGIN IMMEDIATE");
    const accepted = store.append(create("thing-1"));
    const closing = store.close();
    const settled = watch(closing);
    await turns(5);
    expect(settled()).toBe(false);
    db.exec("COMMIT");
    eventsOf(await accepted);
    await closing;
  });

  it("ends a waiting read when the store closes", async () => {
    const store = await place.open();
    place.connect().exec("BEGIN IMMEDIATE");
    const waiting = store.ready();
    await Promise.all([
      expect(waiting).rejects.toThrow(StoreUnavailable),
      turns(3).then(() => store.close()),
    ]);
  });

  it("delays the opening when it is short and ends it when it is long", async () => {
    await (await place.open()).close();
    const db = place.connect();
    db.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    const short = { busyDeadlineMs: 100 };
    await expect(place.open(things(), short)).rejects.toThrow(StoreUnavailable);
    const opening = place.open();
    const settled = watch(opening);
    await turns(5);
    expect(settled()).toBe(false);
    db.close();
    eventsOf(await (await opening).append(create("thing-1")));
  });
});

describe("an append that fails by itself", () => {
  it("is rejected alone, and nothing of it stays", async () => {
    const store = await place.open();
    place.connect().exec(`
      CREATE TRIGGER poison BEFORE INSERT ON events WHEN new.type = 'poison'
        BEGIN SELECT RAISE(ABORT, 'poisoned'); END;
    `);
    const take = [claim("name")];
    const [first, second, third] = await Promise.allSettled([
      store.append(create("thing-1")),
      store.append(append([change("thing-2", 0, { take }), change("thing-3", 0, typed("poison"))])),
      store.append(create("thing-4", { take })),
    ]);
    expect(first).toMatchObject({ status: "fulfilled", value: { kind: "appended" } });
    expect(second).toMatchObject({
      status: "rejected",
      reason: { code: "SQLITE_CONSTRAINT_TRIGGER" },
    });
    expect(third).toMatchObject({ status: "fulfilled", value: { kind: "appended" } });
    expect(await store.find(claim("name"))).toBe("thing-4");
    expect(await store.load(["thing-2", "thing-3"])).toMatchObject([
      { version: 0 },
      { version: 0 },
    ]);
    expect(await expectGapless(store)).toBe(2);
  });

  it("does not cost its neighbours their place in the queue", async () => {
    const store = await place.open(things(), { batchAppends: 2 });
    const made = [
      create("thing-1"),
      create("thing-2", { release: [claim("never")] }),
      append([change("thing-1", 1)]),
    ].map((each) => store.append(each));
    const [first, bad, next] = await Promise.allSettled(made);
    expect(first).toMatchObject({ status: "fulfilled", value: { kind: "appended" } });
    expect(bad).toMatchObject({ status: "rejected" });
    expect(next).toMatchObject({ status: "fulfilled", value: { kind: "appended" } });
  });
});

describe("the queue of appends", () => {
  it("is worked off in several transactions when it is longer than a batch", async () => {
    const store = await place.open();
    const count = 2 * sqliteLimits.batchAppends + 1;
    const made = Array.from({ length: count }, (_, i) => store.append(create(`thing-${i}`)));
    const events = (await Promise.all(made)).flatMap(eventsOf);
    expect(events.map(({ position }) => position)).toEqual(made.map((_, i) => BigInt(i + 1)));
  });

  it("takes as many appends as its limit says, and not one more", async () => {
    const store = await place.open(things(), { waitingAppends: 8 });
    const made = Array.from({ length: 9 }, (_, i) => store.append(create(`thing-${i}`)));
    await expect(made.pop()).rejects.toThrow(StoreUnavailable);
    expect((await Promise.all(made)).flatMap(eventsOf)).toHaveLength(8);
    eventsOf(await store.append(create("thing-8")));
    expect(await expectGapless(store)).toBe(9);
  });
});
