import { afterEach, beforeEach, expect, it } from "@jest/globals";
import pg from "pg";
import { logLock } from "../../src/store/postgres/append-parameters.ts";
import { type PostgresLimits, postgresLimits } from "../../src/store/postgres/limits.ts";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { OutcomeUnknown, type Store, StoreUnavailable } from "../../src/store/store.ts";
import { few } from "../harness/in-full.ts";
import { type PostgresProxy, postgresProxy } from "../harness/postgres-proxy.ts";
import { expectCounted } from "./counted.ts";
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
import { singly } from "./singly.ts";

const [request, answer] = ["r", "answer"].map((text) => Buffer.from(text)) as [Buffer, Buffer];
const remember = { key: "key", request, answer, secret: undefined };

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

  /** Has the store lose its connections, and notice that. */
  const letGo = async (store: Store) => {
    proxy.block(true);
    await expect(store.load(["thing-1"])).rejects.toThrow(StoreUnavailable);
    proxy.block(false);
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

  few().each(["before", "after"] as const)("keeps an answer once, cut %s", async (when) => {
    const store = await open();
    proxy.cutNext(when);
    eventsOf(await store.append(append([change("thing-1", 0)], { remember })));
    expect(String((await store.recall("key", timeMs))?.answer)).toBe("answer");
    expect(await expectGapless(store)).toBe(1);
  });

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

  few(2).each([
    ["one", 1, 1],
    ["three, one after the other", 3, 1],
    ["as many as a process may have, at once", postgresLimits.connections, 40],
  ])("goes on where connections are greeted and cut in one packet: %s", async (_, cut, loads) => {
    const store = await open();
    await letGo(store);
    proxy.cutGreetings(cut);
    const streams = Array.from({ length: loads }, (_, i) => `thing-${i}`);
    const objects = await Promise.all(streams.map((stream) => store.load([stream])));
    expect(objects.flat().map(({ version }) => version)).toEqual(streams.map(() => 0));
    await letGo(store);
    proxy.cutGreetings(cut);
    eventsOf(await store.append(append([change("thing-1", 0)])));
    expect(await expectGapless(store)).toBe(1);
  });

  it("is refused where each further one is greeted and cut, and not for longer", async () => {
    const store = await open({ connectMs: 1_000, connections: 2 });
    await letGo(store);
    proxy.cutGreetings(Number.POSITIVE_INFINITY);
    const refused = store.load(["thing-1"]);
    await expect(refused).rejects.toThrow(StoreUnavailable);
    await expect(refused).rejects.toThrow("The database is shutting down.");
    proxy.cutGreetings(0);
    expect(await store.load(["thing-1"])).toMatchObject([{ version: 0 }]);
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

describeOnPostgres("answers of one caller", () => {
  it("are as many as are kept, and no others than its own go", async () => {
    const place = await postgresPlace();
    const store = await place.open(things(), { answersOfCaller: 2 });
    const keep = async (key: string, actor: string) =>
      eventsOf(
        await store.append(
          append([change(`thing-${key}`, 0)], { actor, remember: { ...remember, key } }),
        ),
      );
    await keep("0", "user-2");
    for (const key of ["1", "2", "3"]) await keep(key, "user-1");
    const kept = ["0", "1", "2", "3"].map(async (key) => (await store.recall(key, timeMs)) && key);
    expect(await Promise.all(kept)).toEqual(["0", undefined, "2", "3"]);
    await place.remove();
  });

  it("large stored answers count once for each 4 KiB of theirs", async () => {
    const place = await postgresPlace();
    await expectCounted(await place.open(things(), { answersOfCaller: 5 }));
    await place.remove();
  });
});

describeOnPostgres("a node that stands still", () => {
  few().each([
    ["an append", {}],
    ["one whose answer is remembered", { remember }],
    ["one that ends a login", { families: ["family"] }],
    ["one that does both", { remember, families: ["family"] }],
  ])("in the middle of %s keeps nobody from writing", async (_, beside) => {
    const place = await postgresPlace();
    const other = await place.open(things(), { lockMs: 2_000 });
    const proxy = await postgresProxy(place.url);
    const store = await openPostgres({ url: proxy.url, projector: things(), ...sealing });
    try {
      await singly(store.artifacts).put({
        key: "token",
        family: "family",
        payload: "",
        expiresMs: timeMs,
      });
      const stands = proxy.stallNext();
      const written = store.append(append([change("thing-1", 0)], beside));
      await stands;
      eventsOf(await other.append(append([change("thing-2", 0)])));
      expect(await expectGapless(other)).toBe(2);
      const isEnded = (await other.artifacts.find("token", timeMs - 1)) === undefined;
      expect(isEnded).toBe("families" in beside);
      expect(await other.recall("key", timeMs)).toEqual(
        "remember" in beside ? { request, answer, secret: undefined } : undefined,
      );
      // It goes on, and hears of what was written.
      proxy.block(true);
      proxy.block(false);
      expect(eventsOf(await written)).toHaveLength(1);
    } finally {
      await store.close();
      await proxy.close();
      await place.remove();
    }
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
