import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import Database from "better-sqlite3";
import { rebuildSqlite } from "../../src/store/sqlite/rebuild-file.ts";
import { floor, migrate, schema } from "../../src/store/sqlite/schema.ts";
import { openSqlite, type SqliteOptions } from "../../src/store/sqlite/sqlite.ts";
import { live, readLog, streamsOf, things } from "./fixture.ts";
import { sealing } from "./keys.ts";
import { rebuilt, verified } from "./sqlite-damage.ts";
import { takeBack } from "./sqlite-forge.ts";
import type { SqlitePlace } from "./sqlite-place.ts";
import { sqlitePlace } from "./sqlite-place.ts";

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

const versionOf = (db: Database.Database) => db.pragma("user_version", { simple: true });
const tablesOf = (db: Database.Database) =>
  db.prepare("SELECT sql FROM sqlite_schema ORDER BY name").pluck().all();

const refuse = () => Promise.reject(new Error("refused"));

describe("a file of the floor of upgrades", () => {
  it("gets MACs of artifacts when it is opened, and loses those of before", async () => {
    const store = await place.open();
    await live(store);
    const log = await readLog(store);
    await store.close();
    const db = place.connect();
    const newest = tablesOf(db);
    takeBack(db);
    db.exec("INSERT INTO artifacts VALUES ('code', NULL, NULL, '{}', 8000000000000000, 0)");
    expect(tablesOf(db)).not.toEqual(newest);

    const migrated = await place.open();
    expect([versionOf(db), tablesOf(db)]).toEqual([schema, newest]);
    expect(db.prepare("SELECT count(*) FROM artifacts").pluck().get()).toBe(0);
    expect(await readLog(migrated)).toEqual(log);
    expect(await streamsOf(migrated)).toEqual(["thing-3", "thing-4"]);
  });

  const refusals: readonly (readonly [string, string, Partial<SqliteOptions>, string])[] = [
    ["it is not to be served", "", { admit: refuse }, "refused"],
    ["its key is missing", "", { keys: { ...sealing.keys, open: refuse } }, "refused"],
    [
      "it is damaged",
      "UPDATE events SET actor = 'x' WHERE position = 1",
      {},
      "not what was appended",
    ],
  ];
  it.each(refusals)("stays as it is where %s", async (_, damage, options, why) => {
    const store = await place.open();
    await live(store);
    await store.close();
    const db = place.connect();
    takeBack(db);
    db.exec(damage);
    const before = tablesOf(db);
    const opened = openSqlite({ path: place.path, projector: things(), ...sealing, ...options });
    await expect(opened).rejects.toThrow(why);
    expect([versionOf(db), tablesOf(db)]).toEqual([floor, before]);
  });

  it("is rebuilt, though it is so large that another thread would check it", async () => {
    const store = await place.open();
    await live(store);
    await store.close();
    takeBack(place.connect());
    const limits = { threadEvents: 1 };
    await rebuildSqlite({ path: place.path, projector: things(), limits, ...sealing });
    expect((await verified(place.path)).lines).toEqual([]);
  });

  it("is made by the first migration, on which the others go on", () => {
    const [atOnce, inSteps] = [new Database(":memory:"), new Database(":memory:")];
    migrate(atOnce);
    migrate(inSteps, floor);
    expect([versionOf(inSteps), tablesOf(inSteps)]).not.toEqual([schema, tablesOf(atOnce)]);
    migrate(inSteps);
    migrate(inSteps);
    expect([versionOf(inSteps), tablesOf(inSteps)]).toEqual([schema, tablesOf(atOnce)]);
  });
});

describe("a file of before it", () => {
  it.each([1, floor - 1])("is refused, and stays as it is: schema %d", async (older) => {
    const store = await place.open();
    await live(store);
    await store.close();
    const db = place.connect();
    takeBack(db);
    db.pragma(`user_version = ${older}`);
    const before = tablesOf(db);
    await expect(place.open()).rejects.toThrow(
      `has schema ${older}, which is older than this program knows: open it once with commit ` +
        "226d0ee, then with this program.",
    );
    expect((await verified(place.path)).lines).toEqual([
      `file: it has schema ${older}, this program schema ${schema}: open it once with commit ` +
        "226d0ee, then with this program",
    ]);
    await expect(rebuilt(place.path)).rejects.toThrow("which is older than this program knows");
    expect([versionOf(db), tablesOf(db)]).toEqual([older, before]);
  });
});
