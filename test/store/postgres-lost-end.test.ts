import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { createCheck } from "../../src/store/chain/chain.ts";
import { createChecked } from "../../src/store/postgres/checked.ts";
import { postgresLimits } from "../../src/store/postgres/limits.ts";
import { createPool, type Pool } from "../../src/store/postgres/pool.ts";
import { createSeen, lookingBack } from "../../src/store/postgres/seen.ts";
import type { Store } from "../../src/store/store.ts";
import { runOn } from "../harness/postgres-cluster.ts";
import {
  append,
  asking,
  change,
  eventsOf,
  keysOf,
  lease,
  record,
  things,
  timeMs,
} from "./fixture.ts";
import { identity } from "./keys.ts";
import { describeOnPostgres, type PostgresPlace, postgresPlace } from "./postgres-place.ts";

let place: PostgresPlace;
beforeEach(async () => {
  place = await postgresPlace();
});
afterEach(async () => {
  await run("DROP SCHEMA IF EXISTS kept CASCADE");
  await place.remove();
});

const tables = [
  "iam.events",
  ...["objects", "lists", "texts", "counts"].map((table) => `iam_r1.${table}`),
];
const run = (...texts: string[]) => runOn(place.url, texts.join(";"));
const copyOf = (server: string, table: string) => `kept.${server}_${table.split(".")[1]}`;
/** Keeps what the database has now as what a server has. */
const keep = (server: string) =>
  run(
    "CREATE SCHEMA IF NOT EXISTS kept",
    ...tables.map((table) => `CREATE TABLE ${copyOf(server, table)} AS TABLE ${table}`),
  );
/** Has a server take over with what was kept of it. */
const takeOver = (server: string) =>
  run(
    ...tables.map((table) => `DELETE FROM ${table}`),
    ...tables.map((table) => `INSERT INTO ${table} SELECT * FROM ${copyOf(server, table)}`),
  );

/** Opens a store that looks at the database each time that it is asked. */
const open = () => place.open(things(), { readyMs: 0 });
const add = (store: Store, name: string) => record(store, `thing-${name}`, [["added", { name }]]);
async function addAll(store: Store, names: string): Promise<void> {
  for (const name of names) eventsOf(await add(store, name));
}

const endAt = async (store: Store, position: bigint) => ({
  position,
  link: (await store.linkAt(position)) ?? Buffer.alloc(32),
});
const checking = { check: createCheck(identity), limits: postgresLimits };

const changed = { why: "history-changed" };

it("what came with an older look is not taken up behind an event that was seen since", () => {
  const end = (position: bigint, byte: number) => ({
    position,
    link: new Uint8Array(32).fill(byte),
  });
  const seen = createSeen(end(100n, 1));
  seen.note(end(101n, 2));
  seen.note(end(102n, 3), 100n);
  expect(seen.end()).toEqual(end(101n, 2));
  seen.note(end(102n, 4), 101n);
  expect(seen.end()).toEqual(end(102n, 4));
});

describeOnPostgres("a server that took over without the end of the log", () => {
  it("is forgotten by who has read it once the right one is back", async () => {
    const [reader, writer] = [await open(), await open()];
    await keep("standby");
    await addAll(writer, "abc");
    // It has checked less than it has seen.
    expect(await reader.load(["thing-c"])).toMatchObject([{ version: 1, position: 3n }]);
    await keep("primary");
    await takeOver("standby");
    for (const store of [reader, writer])
      await expect(store.ready()).rejects.toMatchObject(changed);
    const other = await open();
    await addAll(other, "defg");
    expect(await reader.load(["thing-g"])).toMatchObject([{ position: 4n }]);
    expect(await reader.readAll(0n, 9)).toHaveLength(4);
    await expect(writer.readAll(0n, 9)).rejects.toMatchObject(changed);
    await takeOver("primary");
    await writer.ready();
    await addAll(writer, "hi");
    await reader.ready();
    await addAll(reader, "j");
  });

  it.each<[string, (store: Store) => Promise<unknown>]>([
    ["load", (store) => store.load(["thing-a"])],
    ["readStream", (store) => store.readStream("thing-f", 0, 9)],
    ["readAll", (store) => store.readAll(5n, 9)],
    ["search", (store) => store.search({ after: 5n, limit: 9 })],
  ])("is not gone on with by who has seen the end, and begins with: %s", async (_, read) => {
    const writer = await open();
    await addAll(writer, "ab");
    await keep("standby");
    const reader = await open();
    await addAll(writer, "cd");
    expect(await reader.load(["thing-d"])).toMatchObject([{ version: 1, position: 4n }]);
    await keep("primary");
    await takeOver("standby");
    await addAll(await open(), "dcef");
    for (const store of [reader, writer]) {
      await read(store);
      const count = { kind: "count", key: "tries", expiresMs: timeMs + 9 } as const;
      await expect(store.ready()).rejects.toMatchObject(changed);
      await expect(lease(store, timeMs)).rejects.toMatchObject(changed);
      await expect(store.artifacts.write([count], timeMs)).rejects.toMatchObject(changed);
      const written = store.append(append([change("thing-d", 1)]));
      await expect(written).rejects.toMatchObject(changed);
    }
    expect(await writer.head()).toMatchObject({ position: 6n });
    await takeOver("primary");
    for (const store of [writer, reader]) {
      eventsOf(await store.append(append([change("thing-d", store === writer ? 1 : 2)])));
      await store.ready();
    }
  });

  it("is not gone on with by who is handed a message of it", async () => {
    const [reader, writer] = [await place.open(things(), { readyMs: 60_000 }), await open()];
    await keep("standby");
    await addAll(writer, "a");
    await reader.load(["thing-a"]);
    await reader.ready();
    await takeOver("standby");
    const other = await open();
    await addAll(other, "bc");
    eventsOf(await other.append(append([asking("thing-d", 0)])));
    // It has looked before, and what that found holds for a while.
    expect(keysOf(await lease(reader, timeMs))).toEqual(["3 code"]);
    await expect(add(reader, "e")).rejects.toMatchObject(changed);
  });

  it("is not written on by who has written the end before another look", async () => {
    const writer = await open();
    await addAll(writer, "a");
    await keep("older");
    await addAll(writer, "b");
    await keep("newer");
    await takeOver("older");
    await expect(writer.ready()).rejects.toMatchObject(changed);
    await takeOver("newer");
    await addAll(writer, "c");
    await takeOver("newer");
    await addAll(await open(), "d");
    await expect(add(writer, "e")).rejects.toMatchObject(changed);
    expect(await writer.head()).toMatchObject({ position: 3n });
    await expect(writer.ready()).rejects.toThrow("changed behind this process");
  });

  it.each([
    ["has nothing behind what was checked", "standby", false],
    ["was written on without what was seen", "other", true],
  ])("is no forgery where it takes over during a check, and %s", async (_, server, isSeen) => {
    const store = await open();
    await addAll(store, "ab");
    await keep("standby");
    await addAll(store, "cd");
    await keep("primary");
    await takeOver("standby");
    await addAll(await open(), "efgh");
    await keep("other");
    await takeOver("primary");
    let next = server;
    const pool = createPool(place.url, postgresLimits);
    const query: Pool["query"] = async (text, values) => {
      const rows = await pool.query<never>(text, values);
      if (text.includes("ORDER BY position DESC")) await takeOver(next);
      return rows;
    };
    const seen = createSeen(await endAt(store, 2n));
    const checked = createChecked({ ...pool, query }, checking, seen);
    if (isSeen) seen.note(await endAt(store, 4n));
    await expect(checked.follow()).rejects.toMatchObject(changed);
    expect(checked.fault()).toBeUndefined();
    await takeOver("primary");
    next = "primary";
    await checked.follow();
    expect([seen.end(), checked.linkAt(4n)]).toMatchObject([
      await endAt(store, 4n),
      expect.anything(),
    ]);
    await pool.close();
  });
});

describeOnPostgres("an event that is missing before the end", () => {
  it("is no end that was lost", async () => {
    const store = await open();
    await addAll(store, "abc");
    const pool = createPool(place.url, postgresLimits);
    const checked = createChecked(pool, checking, createSeen(await endAt(store, 1n)));
    await run("DELETE FROM iam.events WHERE position = 2");
    await expect(checked.follow(2n)).rejects.toThrow("position 2 is missing");
    expect(checked.fault()).toContain("position 2 is missing");
    await pool.close();
  });
});

describeOnPostgres("what was seen", () => {
  const [before, after] = [1n, 2n].map((position) => ({ position, link: Buffer.alloc(32) }));

  it("is not there again because something before it is", () => {
    const seen = createSeen(before!);
    seen.note(after!);
    seen.compare(after!, null);
    seen.compare(before!, before!.link);
    expect(seen.isKept()).toBe(false);
    seen.compare(after!, after!.link);
    expect(seen.isKept()).toBe(true);
  });

  it("is compared as it is once there is a connection", async () => {
    const pool = createPool(place.url, postgresLimits);
    await addAll(await open(), "a");
    const seen = createSeen({ position: 0n, link: Buffer.alloc(32) });
    const using: Pool["using"] = async (work) => {
      seen.note(after!);
      return await pool.using(work);
    };
    await lookingBack({ ...pool, using }, seen).query("SELECT 1 AS one");
    expect(seen.isKept()).toBe(false);
    await pool.close();
  });
});
