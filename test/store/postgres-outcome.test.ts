import { afterEach, beforeEach, expect, it } from "@jest/globals";
import pg from "pg";
import { logLock } from "../../src/store/postgres/append-parameters.ts";
import type { PostgresLimits } from "../../src/store/postgres/limits.ts";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { OutcomeUnknown, type Store, StoreUnavailable } from "../../src/store/store.ts";
import { type PostgresProxy, postgresProxy } from "../harness/postgres-proxy.ts";
import {
  append,
  asking,
  change,
  claim,
  eventsOf,
  expectGapless,
  things,
  timeMs,
} from "./fixture.ts";
import { sealing } from "./keys.ts";
import { describeOnPostgres, type PostgresPlace, postgresPlace } from "./postgres-place.ts";

describeOnPostgres("a connection that is lost", () => {
  let place: PostgresPlace;
  let proxy: PostgresProxy;
  const stores: Store[] = [];

  beforeEach(async () => {
    place = await postgresPlace();
    await (await place.open()).close();
    proxy = await postgresProxy(place.url);
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    await proxy.close();
    await place.remove();
  });
  const open = async (limits: Partial<PostgresLimits> = {}) => {
    const store = await openPostgres({ url: proxy.url, projector: things(), limits, ...sealing });
    stores.push(store);
    return store;
  };

  it.each(["before", "after"] as const)(
    "is made anew, and what was sent %s it was cut is written once",
    async (when) => {
      const store = await open();
      eventsOf(await store.append(append([change("thing-0", 0)])));
      proxy.cutNext(when);
      const results = await Promise.all([
        store.append(append([asking("thing-1", 0, { take: [claim("name")] })])),
        store.append(append([change("thing-0", 0)])),
        store.append(append([change("thing-2", 0)])),
      ]);
      expect(results.map(({ kind }) => kind)).toEqual(["appended", "version-conflict", "appended"]);
      expect(results.flatMap((each) => (each.kind === "appended" ? each.events : []))).toEqual(
        await store.readAll(1n, 9),
      );
      expect(await expectGapless(store)).toBe(3);
    },
  );

  it.each(["before", "after", "committed"] as const)(
    "keeps an answer once, cut %s",
    async (when) => {
      const store = await open();
      const bytes = (text: string) => Buffer.from(text);
      let asked = 0;
      const remember = {
        key: "key",
        answer: () => {
          asked += 1;
          return { request: bytes("r"), answer: bytes(`${asked}`), secret: undefined };
        },
      };
      proxy.cutNext(when);
      eventsOf(await store.append(append([change("thing-1", 0)], { remember })));
      expect(String((await store.recall("key", timeMs))?.answer)).toBe(`${asked}`);
      expect(await expectGapless(store)).toBe(1);
    },
  );

  it("refuses reads and appends while the database is away, and goes on by itself", async () => {
    const store = await open({ connectMs: 500, outcomeMs: 200 });
    proxy.block(true);
    await expect(store.load(["thing-1"])).rejects.toThrow(StoreUnavailable);
    await expect(store.append(append([change("thing-1", 0)]))).rejects.toThrow(StoreUnavailable);
    await expect(store.ready()).rejects.toThrow(StoreUnavailable);
    proxy.block(false);
    await store.ready();
    eventsOf(await store.append(append([change("thing-1", 0)])));
  });

  it("says that nobody knows, where the database stays away after a commit", async () => {
    const store = await open({ connectMs: 500, outcomeMs: 200 });
    const holder = new pg.Client({ connectionString: place.url });
    await holder.connect();
    await holder.query(`BEGIN; SELECT pg_advisory_xact_lock(${logLock})`);
    const unknown = expect(store.append(append([change("thing-1", 0)]))).rejects.toThrow(
      OutcomeUnknown,
    );
    await untilWaiting(holder);
    proxy.block(true);
    await unknown;
    proxy.block(false);
    await holder.query("COMMIT");
    await holder.end();
    // Whatever became of it, what comes behind it in the database goes on from there.
    eventsOf(await store.append(append([change("thing-2", 0)])));
    const [object] = await store.load(["thing-1"]);
    eventsOf(await store.append(append([change("thing-1", object!.version)])));
    expect(await expectGapless(store)).toBe(object!.version + 2);
  });

  it("writes once what waits in the database twice", async () => {
    const store = await open();
    const holder = new pg.Client({ connectionString: place.url });
    await holder.connect();
    await holder.query(`BEGIN; SELECT pg_advisory_xact_lock(${logLock})`);
    const written = store.append(append([change("thing-1", 0)]));
    await untilWaiting(holder);
    proxy.block(true);
    proxy.block(false);
    await untilWaiting(holder, 2);
    await holder.query("COMMIT");
    await holder.end();
    eventsOf(await written);
    eventsOf(await store.append(append([change("thing-1", 1)])));
    expect(await expectGapless(store)).toBe(2);
  });
});

/** Resolves when so many appends wait for the lock. */
async function untilWaiting(client: pg.Client, count = 1): Promise<void> {
  for (;;) {
    const { rows } = await client.query(
      "SELECT count(*)::int AS waiting FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
    );
    if (rows[0].waiting >= count) return;
    await new Promise(setImmediate);
  }
}
