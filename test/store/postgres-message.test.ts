import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import pg from "pg";
import { leaseLock } from "../../src/store/postgres/turns.ts";
import { type Store, StoreUnavailable } from "../../src/store/store.ts";
import { append, asking, change, eventsOf, keysOf, lease, things, timeMs } from "./fixture.ts";
import { describeOnPostgres, type PostgresPlace, postgresPlace } from "./postgres-place.ts";
import { postponedCases } from "./postponed.ts";

let place: PostgresPlace;
let other: pg.Client;
beforeEach(async () => {
  place = await postgresPlace();
});
afterEach(() => place.remove());

/** Has owners ask for a message each, in this order. */
async function ask(store: Store, ...owners: string[]): Promise<void> {
  for (const [nth, owner] of owners.entries()) {
    eventsOf(await store.append(append([asking(`thing-${nth}`, 0, { owner })])));
  }
}

/** Resolves when so many sessions wait for a lock of this service. */
async function untilWaiting(count: number): Promise<void> {
  const waits = `SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
    WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted`;
  while ((await other.query(waits)).rowCount !== count) await pause(5);
}

describeOnPostgres("messages of lines that another connection writes", () => {
  beforeEach(async () => {
    other = new pg.Client({ connectionString: place.url });
    await other.connect();
  });
  afterEach(() => other.end());

  it.each([
    ["whose turn is held", "SELECT 1 FROM iam.turns WHERE owner = 'a' FOR UPDATE"],
    ["whose message is held", "SELECT 1 FROM iam.messages WHERE owner = 'a' FOR UPDATE"],
  ])("are passed over %s, and leased later", async (_, hold) => {
    const store = await place.open(things(), { statementMs: 5_000 });
    await ask(store, "b", "a");
    await other.query(`BEGIN; ${hold}`);
    expect(keysOf(await lease(store, timeMs))).toEqual(["1 code"]);
    await other.query("COMMIT");
    expect(keysOf(await lease(store, timeMs))).toEqual(["2 code"]);
  });

  it("have a turn, though their line was emptied while they were written", async () => {
    const store = await place.open();
    await ask(store, "a");
    const [leased] = await lease(store, timeMs);
    // What is postponed waits for the message, and then for what was appended meanwhile.
    await other.query("BEGIN; SELECT 1 FROM iam.turns FOR UPDATE");
    const settles = [{ position: 1n, field: "code" }];
    const written = store.append(append([asking("thing-9", 0, { owner: "a" })]));
    const settled = store.append(append([change("thing-0", 1, { owner: "a", settles })]));
    const postponed = store.postponeMessage(leased!, timeMs + 5);
    await other.query("COMMIT");
    await Promise.all([written, settled, postponed]);
    expect(keysOf(await lease(store, timeMs))).toEqual(["2 code"]);
  });

  it("are given to who leases them, be they written while that waits for another", async () => {
    const store = await place.open();
    await ask(store, "a");
    await other.query("SELECT pg_advisory_lock($1)", [leaseLock]);
    const leased = lease(store, timeMs);
    await untilWaiting(1);
    eventsOf(await store.append(append([asking("thing-9", 0, { owner: "b" })])));
    await other.query("SELECT pg_advisory_unlock($1)", [leaseLock]);
    expect(keysOf(await leased)).toEqual(["1 code", "2 code"]);
  });

  it("are waited for in the database no longer than statementMs", async () => {
    await (await place.open()).close();
    const store = await place.open(things(), { statementMs: 500 });
    await ask(store, "a");
    await other.query("SELECT pg_advisory_lock($1)", [leaseLock]);
    await expect(lease(store, timeMs)).rejects.toThrow(StoreUnavailable);
    await untilWaiting(0);
    await other.query("SELECT pg_advisory_unlock($1)", [leaseLock]);
    expect(keysOf(await lease(store, timeMs))).toEqual(["1 code"]);
  });
});

describeOnPostgres("messages that wait for their quota", () => postponedCases(() => place));
