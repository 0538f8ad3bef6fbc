import { afterEach, beforeEach, expect, it } from "@jest/globals";
import pg from "pg";
import { postgresLimits } from "../../src/store/postgres/limits.ts";
import type { Store } from "../../src/store/store.ts";
import { append, eventsOf, thing } from "./fixture.ts";
import { describeOnPostgres, type PostgresPlace, postgresPlace } from "./postgres-place.ts";

let place: PostgresPlace;
let locker: pg.Client;
/** Another one, since a transaction is told the same of others each time. */
let watcher: pg.Client;
beforeEach(async () => {
  place = await postgresPlace();
  [locker, watcher] = [new pg.Client(place.url), new pg.Client(place.url)];
  await Promise.all([locker.connect(), watcher.connect()]);
});
afterEach(async () => {
  await Promise.all([locker.end(), watcher.end()]);
  await place.remove();
});

/** Asks for a list in the name of somebody, or of the service itself. */
function ask(store: Store, name?: string, signal = new AbortController().signal) {
  const asker = name === undefined ? {} : { asker: { name, signal } };
  return store.list({ ...asker, kind: "thing", offset: 0, limit: 1 });
}

/** Waits until so many lists look, and sees that no more do. */
async function looking(count: number): Promise<void> {
  const text = `SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  const counted = async () => (await watcher.query(text)).rows[0].count;
  while ((await counted()) < count);
  // Those that began in the same turn are there within a few answers of the database.
  for (let again = 0; again < 20; again += 1) expect(await counted()).toBe(count);
}

describeOnPostgres("lists of several organizations in a database", () => {
  it("leave each other places, and one to the service itself", async () => {
    const { lists, listsOfAsker } = postgresLimits;
    const store = await place.open();
    eventsOf(await store.append(append([thing("thing-a", { name: "a" })])));
    await locker.query("BEGIN; LOCK iam_r1.objects");
    const asked = [ask(store, "a"), ask(store, "a"), ask(store, "a"), ask(store, "a")];
    await looking(listsOfAsker);
    asked.push(ask(store, "b"), ask(store, "b"));
    await looking(lists - 1);
    asked.push(ask(store), ask(store));
    await looking(lists);
    await locker.query("ROLLBACK");
    for (const page of await Promise.all(asked)) expect(page).toMatchObject({ total: 1 });
  });

  it("wait in a line of which who has most in it leaves first, and who has gone", async () => {
    const waitingLists = 3;
    const store = await place.open(undefined, { lists: 1, waitingLists });
    await locker.query("BEGIN; LOCK iam_r1.objects");
    const first = ask(store, "a");
    await looking(1);
    const gone = new AbortController();
    const waiting = ["a", "a", "a"].map((name) => ask(store, name));
    const other = ask(store, "b");
    const leaving = ask(store, "c", gone.signal);
    const ends = Promise.allSettled([first, ...waiting, other, leaving]);
    gone.abort(new Error("gone"));
    await expect(leaving).rejects.toThrow("gone");
    await expect(waiting[2]).rejects.toMatchObject({ why: "lists-overloaded" });
    await locker.query("ROLLBACK");
    expect((await ends).map(({ status }) => status)).toEqual([
      ...["fulfilled", "fulfilled", "rejected", "rejected", "fulfilled", "rejected"],
    ]);
    expect(postgresLimits.waitingLists).toBeGreaterThan(waitingLists);
  });
});
