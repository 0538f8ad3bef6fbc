import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { Store } from "../../src/store/store.ts";
import { StoreUnavailable } from "../../src/store/store.ts";
import { append, asking, eventsOf, keysOf, lease, leaseMs, things, timeMs } from "./fixture.ts";
import { postponedCases } from "./postponed.ts";
import type { SqlitePlace } from "./sqlite-place.ts";
import { sqlitePlace } from "./sqlite-place.ts";

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

async function ask(store: Store): Promise<void> {
  eventsOf(await store.append(append([asking("thing-1", 0)])));
}

describe("messages in a file that another connection locks", () => {
  it("are leased when the lock is gone", async () => {
    const store = await place.open();
    await ask(store);
    const db = place.connect();
    db.exec("BEGIN IMMEDIATE");
    const leased = lease(store, timeMs);
    // A turn of the event loop is enough for one try.
    await new Promise(setImmediate);
    db.exec("COMMIT");
    expect(keysOf(await leased)).toEqual(["1 code"]);
  });

  it("are not leased when the lock stays", async () => {
    const store = await place.open(things(), { busyDeadlineMs: 100 });
    await ask(store);
    const db = place.connect();
    db.exec("BEGIN IMMEDIATE");
    await expect(lease(store, timeMs)).rejects.toThrow(StoreUnavailable);
    db.exec("COMMIT");
    expect(await lease(store, timeMs)).toMatchObject([{ attempts: 1 }]);
  });

  it("need no lock as long as none is due", async () => {
    const store = await place.open(things(), { busyDeadlineMs: 0 });
    await ask(store);
    place.connect().exec("BEGIN IMMEDIATE");
    expect(await lease(store, timeMs - 1)).toEqual([]);
  });
});

it("hands out the other messages where the event of one is missing", async () => {
  const store = await place.open();
  await ask(store);
  eventsOf(await store.append(append([asking("thing-2", 0)])));
  place.connect().exec("DELETE FROM events WHERE position = 1");
  expect(keysOf(await lease(store, timeMs))).toEqual(["2 code"]);
  expect(await lease(store, timeMs)).toEqual([]);
  // It is tried again after its lease, as any other.
  expect(await lease(store, timeMs + leaseMs)).toMatchObject([{ attempts: 2 }]);
});

describe("messages in a file that a newer projection took over", () => {
  it("are leased no more by the older one, which could not settle them", async () => {
    const [older, newer] = [await place.open(things(1)), await place.open(things(2))];
    await ask(newer);
    await expect(lease(older, timeMs)).rejects.toThrow(StoreUnavailable);
    expect(await lease(newer, timeMs)).toMatchObject([{ attempts: 1 }]);
  });
});

describe("messages that wait for their quota", () => postponedCases(() => place));
