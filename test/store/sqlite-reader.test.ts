import assert from "node:assert/strict";
import { copyFileSync, renameSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { Forged } from "../../src/store/chain/forged.ts";
import { silent } from "../../src/store/failure-log.ts";
import type { ListQuery } from "../../src/store/query.ts";
import { sqliteLimits } from "../../src/store/sqlite/limits.ts";
import { paceRows } from "../../src/store/sqlite/pace.ts";
import { createReader } from "../../src/store/sqlite/reader.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { type Store, StoreUnavailable } from "../../src/store/store.ts";
import { describeInFull, inFull } from "../harness/in-full.ts";
import { filterCases } from "./conformance/filter.ts";
import { objectCases } from "./conformance/object.ts";
import type { Open } from "./conformance/place.ts";
import { sortCases } from "./conformance/sort.ts";
import { append, eventsOf, listed, thing, things } from "./fixture.ts";
import { identity, sealing } from "./keys.ts";
import { type SqlitePlace, sqlitePlace } from "./sqlite-place.ts";

/** With this, no list is read on the event loop. */
const allInThread = { listRows: 0 };

describeInFull("with all lists in the thread, SQLite keeps the contract", () => {
  const open: Open = (projector) => place.open(projector, allInThread);
  describe("objects", () => objectCases(open));
  describe("lists in order", () => sortCases(open));
  describe("lists with a filter", () => filterCases(open));
});

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

const all: ListQuery = { kind: "thing", sortBy: "name", offset: 0, limit: 10 };
const containing = (value: string): ListQuery => ({
  ...all,
  where: { kind: "text", field: "name", method: "contains", ignoreCase: true, value },
});

async function add(store: Store, ...names: readonly string[]): Promise<void> {
  for (let from = 0; from < names.length; from += 500) {
    const some = names.slice(from, from + 500);
    eventsOf(await store.append(append(some.map((name) => thing(`thing-${name}`, { name })))));
  }
}

describe("a list in the thread", () => {
  it("has what was acknowledged before, each time, and is the same as on the loop", async () => {
    const [store, other] = [await place.open(things(), allInThread), await place.open()];
    for (const name of ["a", "B", "ab", "ä😀"]) {
      await add(store, name);
      for (const query of [all, containing("b"), containing("😀"), containing("")]) {
        expect(await listed(store, query)).toEqual(await listed(other, query));
      }
    }
    expect((await listed(store, all)).total).toBe(4);
  });

  it("holds no row that somebody has changed", async () => {
    const store = await place.open(things(), allInThread);
    await add(store, "a", "b");
    place.connect().exec("UPDATE objects SET state = '{}' WHERE stream = 'thing-b'");
    const forged = { name: "Forged", where: { stream: "thing-b" } };
    await expect(store.list(all)).rejects.toMatchObject(forged);
    await expect(store.list(all)).rejects.toBeInstanceOf(Forged);
    expect(await listed(store, containing("a"))).toMatchObject({ total: 1 });
  });

  it("is one that has to look at more rows than the loop has for it", async () => {
    // About one in so many rows asks whether it may go on; which ones nobody knows.
    const rows = 24 * paceRows;
    const store = await place.open(things(), { listRows: 4 * paceRows, searchMs: 0 });
    await add(store, ...Array.from({ length: rows }, (_, i) => `${i}`));
    const isFound = async (query: ListQuery) => (await store.list(query)) !== undefined;
    // Even where each of three rows asks, that is no more than the loop has.
    expect(await isFound({ ...all, limit: 3 })).toBe(true);
    expect(await isFound({ ...all, limit: rows })).toBe(false);
    expect(await isFound({ ...all, offset: rows })).toBe(false);
    expect(await isFound(containing("x"))).toBe(false);
    const { sortBy: _, ...unsorted } = all;
    expect(await isFound({ ...unsorted, parents: ["", "x"] })).toBe(false);
    const where = { kind: "streams", streams: ["thing-9"] } as const;
    expect(await isFound({ ...unsorted, where })).toBe(true);
  });

  it("begins on the loop where that has any rows for it", async () => {
    // A list of nothing asks once, before its first row.
    const [some, none] = [
      await place.open(things(), { listRows: paceRows, searchMs: 0 }),
      await place.open(things(), { listRows: 0, searchMs: 0 }),
    ];
    expect(await some.list(all)).toMatchObject({ total: 0 });
    expect(await none.list(all)).toBeUndefined();
  });

  inFull("is given up where its time is over, whether it waits or is under way", async () => {
    const none = await place.open(things(), { ...allInThread, searchMs: 0 });
    await add(none, "a");
    expect(await none.list(all)).toBeUndefined();
    const short = await place.open(things(), { ...allInThread, searchMs: 1 });
    await add(short, ...Array.from({ length: 2_000 }, (_, i) => `${i}`));
    const filters = Array.from({ length: 200 }, (_, i) => containing(`${i}-`).where!);
    expect(await short.list({ ...all, where: { kind: "or", filters } })).toBeUndefined();
    // The thread lives on, for what can be found in time.
    const store = await place.open(things(), allInThread);
    expect((await listed(store, containing("-"))).total).toBe(0);
  });

  it("waits among as many as may, and is refused as one more", async () => {
    const waitingLists = 3;
    const store = await place.open(things(), { ...allInThread, waitingLists });
    await add(store, "a");
    const ask = async () => (await listed(store, all)).total;
    // One is under way beside those that wait, once the loop has passed each on.
    const asked = Array.from({ length: waitingLists + 1 }, ask);
    await Promise.resolve();
    const told = await Promise.allSettled([...asked, ask()]);
    const refused = told.filter(({ status }) => status === "rejected");
    expect(refused).toMatchObject([{ reason: expect.any(StoreUnavailable) }]);
    expect(told.filter(({ status }) => status === "fulfilled")).toHaveLength(waitingLists + 1);
    expect(await ask()).toBe(1);
    expect(sqliteLimits.waitingLists).toBeGreaterThan(waitingLists);
  });

  it("waits for its turn among those of others, until nobody waits for it", async () => {
    const store = await place.open(things(), allInThread);
    await add(store, "a");
    const order: string[] = [];
    const gone = new AbortController();
    const ask = async (name: string, { signal } = new AbortController()) => {
      await store.list({ ...all, asker: { name, signal } });
      order.push(name);
    };
    const asked = [ask("a"), ask("a"), ask("a"), ask("b"), ask("c", gone), ask("b")];
    gone.abort(new Error("gone"));
    await expect(asked[4]).rejects.toThrow("gone");
    await Promise.allSettled(asked);
    expect(order).toEqual(["a", "b", "a", "b", "a"]);
  });

  it("says nothing of the storage where too many wait", async () => {
    const said: unknown[] = [];
    const error = (members: object) => void said.push(members);
    const log = { ...silent, error };
    const limits = { ...allInThread, waitingLists: 0 };
    const store = await openSqlite({
      ...{ path: place.path, projector: things(), limits, log, committed: () => {} },
      ...sealing,
    });
    await add(store, "a");
    const ends = await Promise.allSettled([store.list(all), store.list(all)]);
    const why = { why: "lists-overloaded" };
    expect(ends).toMatchObject([{ status: "fulfilled" }, { status: "rejected", reason: why }]);
    await store.close();
    expect(said).toEqual([]);
  });

  it("is rejected by a close, with all that wait", async () => {
    const store = await place.open(things(), allInThread);
    await add(store, "a");
    const asked = [store.list(all), store.list(all), store.list(all)].map((one) =>
      one.then(
        () => "answered",
        (error: unknown) => error,
      ),
    );
    await new Promise(setImmediate);
    await store.close();
    for (const end of await Promise.all(asked)) {
      assert(end === "answered" || end instanceof StoreUnavailable);
    }
    await expect(store.list(all)).rejects.toThrow(StoreUnavailable);
  });

  it("is not read from another file that lies at the path", async () => {
    const store = await place.open(things(), allInThread);
    await add(store, "a");
    await store.close();
    copyFileSync(place.path, `${place.path}.copy`);
    const open = await place.open(things(), allInThread);
    await add(open, "b");
    renameSync(`${place.path}.copy`, place.path);
    for (let times = 0; times < 2; times += 1) {
      await expect(open.list(all)).rejects.toThrow("is not the file that was opened");
    }
    expect(await open.find({ kind: "none", scope: "", value: "" })).toBeUndefined();
  });

  it("fails alone where it cannot be read, and the next one is tried anew", async () => {
    const store = await place.open(things(), allInThread);
    await add(store, "a");
    const query = { ...all, limit: Number.NaN };
    await expect(store.list(query)).rejects.toThrow();
    expect((await listed(store, all)).total).toBe(1);
  });

  it("is read by another thread where the one before has ended", async () => {
    const store = await place.open();
    await add(store, "a");
    await store.close();
    const path = `${place.path}.later`;
    const files = { assertSame: () => {} };
    const reader = createReader({ path, identity, limits: sqliteLimits, files });
    await expect(reader.list(all)).rejects.toThrow("The thread of the store has ended.");
    copyFileSync(place.path, path);
    // Nothing hears what is asked of a thread that has ended.
    const unheard = setTimeout(10_000, "nobody has answered", { ref: false });
    expect(await Promise.race([reader.list(all), unheard])).toMatchObject({ total: 1 });
    await reader.close();
  });
});
