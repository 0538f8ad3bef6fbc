import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type Database from "better-sqlite3";
import { Forged } from "../../src/store/chain/forged.ts";
import type { ListQuery } from "../../src/store/query.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import {
  append,
  change,
  eventsOf,
  keysOf,
  lease,
  leaseMs,
  live,
  record,
  things,
  timeMs,
} from "./fixture.ts";
import { sealing } from "./keys.ts";
import { createLines, type Lines } from "./lines.ts";
import { type SqlitePlace, sqlitePlace } from "./sqlite-place.ts";

// What somebody writes into the file while it is served, who has no key.

let place: SqlitePlace;
let store: Store;
let lines: Lines;
let db: Database.Database;

beforeEach(async () => {
  place = await sqlitePlace();
  lines = createLines();
  store = await openSqlite({ path: place.path, projector: things(), ...sealing, log: lines.log });
  await live(store);
  db = place.connect();
});
afterEach(async () => {
  await store.close();
  await place.remove();
});

const list: ListQuery = { kind: "thing", offset: 0, limit: 10 };
const rename = () => record(store, "thing-3", [["renamed", { name: "Delta" }]]);

describe("a row that was put back is never served:", () => {
  const back = (sql: string) => db.exec(`DELETE FROM objects WHERE stream = 'thing-3'; ${sql}`);

  async function expectUnserved(found: RegExp, reads: readonly (() => Promise<unknown>)[]) {
    for (const read of reads) {
      await expect(read()).rejects.toThrow(Forged);
      await expect(read()).rejects.toThrow(found);
    }
    expect(lines.at("fatal")).toEqual([[{ stream: "thing-3" }, expect.stringMatching(found)]]);
  }
  const load = () => store.load(["thing-3"]);

  test("one of before, with its MAC", async () => {
    db.exec("CREATE TABLE kept AS SELECT * FROM objects WHERE stream = 'thing-3'");
    eventsOf(await rename());
    back("INSERT INTO objects SELECT * FROM kept");
    const found =
      /^the row of thing-3 is of version 5, and the log has version 6: run verify for more$/;
    await expectUnserved(found, [load, () => store.list(list)]);
  });

  test("one of an object that was removed since", async () => {
    db.exec("CREATE TABLE kept AS SELECT * FROM objects WHERE stream = 'thing-3'");
    eventsOf(await record(store, "thing-3", [["removed", {}]]));
    back("INSERT INTO objects SELECT * FROM kept");
    await expectUnserved(/is of version 5, and the log has version 6/, [load]);
  });

  test("none", async () => {
    back("");
    await expectUnserved(/is gone, and the log has version 5/, [load, rename]);
  });

  test("one that no event explains", async () => {
    db.exec("DELETE FROM events WHERE stream = 'thing-3' AND version > 4");
    await expectUnserved(/is of version 5, and the log has version 4/, [load]);
  });
});

describe("nothing is written on top of a row that was changed:", () => {
  const changes = [
    ["its begin", "UPDATE objects SET created = created - 1 WHERE stream = 'thing-3'"],
    ["its state", "UPDATE objects SET state = '{}' WHERE stream = 'thing-3'"],
    ["its place in lists", "UPDATE objects SET parent = 'p-2' WHERE stream = 'thing-3'"],
  ] as const;
  test.each(changes)("%s", async (_what, sql) => {
    db.exec(sql);
    const before = db.prepare("SELECT * FROM objects").all();
    await expect(rename()).rejects.toThrow(Forged);
    expect(db.prepare("SELECT * FROM objects").all()).toEqual(before);
    expect(await store.head()).toMatchObject({ position: 18n });
  });

  test("and a decision rests on the versions of the log, not on those of rows", async () => {
    const relying = (version: number, stream: string) =>
      store.append(append([change(stream, 0)], { unchanged: [{ stream: "thing-4", version }] }));
    db.exec("UPDATE objects SET version = 1 WHERE stream = 'thing-4'");
    const stale = { kind: "version-conflict", stream: "thing-4" };
    expect(await relying(1, "thing-8")).toEqual(stale);
    eventsOf(await relying(2, "thing-9"));
  });
});

describe("what lists go by is found again in the row:", () => {
  test.each([
    ["under another parent", "thing", "p-1"],
    ["as another kind", "other", ""],
  ])("an object is not shown %s", async (_what, kind, parent) => {
    // It is a thing under no parent.
    db.prepare(
      `INSERT INTO fields
         SELECT ?, ?, 'name', 'beta', first FROM objects WHERE stream = 'thing-4'`,
    ).run(kind, parent);
    await expect(store.list({ ...list, kind, parents: [parent], sortBy: "name" })).rejects.toThrow(
      "the row of thing-4 is of another kind, or under another parent, than it was listed by",
    );
  });
});

describe("an event that was changed is never served:", () => {
  const changes = [
    ["its payload", "UPDATE events SET payload = '{}' WHERE position = 4"],
    ["its actor", "UPDATE events SET actor = 'x' WHERE position = 4"],
    ["its time", "UPDATE events SET time = time - 1 WHERE position = 4"],
    ["its salt", "UPDATE events SET salt = zeroblob(16) WHERE position = 4"],
    ["its MAC", "UPDATE events SET mac = zeroblob(32) WHERE position = 4"],
    ["its MAC, cut off", "UPDATE events SET mac = x'' WHERE position = 4"],
  ] as const;
  test.each(changes)("%s", async (_what, sql) => {
    db.exec(sql);
    const reads = [
      () => store.readAll(2n, 3),
      () => store.readStream("thing-3", 0, 10),
      () => store.search({ after: 0n, limit: 10 }),
      () => store.search({ after: 0n, limit: 10, descending: true, streams: ["thing-3"] }),
    ];
    for (const read of reads) {
      await expect(read()).rejects.toThrow(Forged);
      await expect(read()).rejects.toMatchObject({ where: { stream: "thing-3", position: "4" } });
    }
    expect(await store.readAll(4n, 3)).toHaveLength(3);
    const text =
      "the event at position 4, of thing-3, is not what was appended (its MAC): run verify " +
      "for more";
    expect(lines.at("fatal")).toEqual([[{ stream: "thing-3", position: "4" }, text]]);
  });

  test("and no message of it is sent, but those of others are", async () => {
    db.exec("UPDATE events SET actor = 'x' WHERE position = 12");
    expect(keysOf(await lease(store, timeMs + 100))).toEqual(["14 code"]);
    expect(await lease(store, timeMs + 100)).toEqual([]);
    expect(await lease(store, timeMs + 101 + leaseMs)).toHaveLength(1);
    const where = { stream: "thing-3", position: "12" };
    expect(lines.at("fatal")).toEqual([
      [where, expect.stringMatching(/^the event at position 12/)],
    ]);
  });
});
