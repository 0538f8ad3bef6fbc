import { readFile, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { few } from "../harness/in-full.ts";
import { record, things } from "./fixture.ts";
import { sealing } from "./keys.ts";
import { type DamagePlace, damage, damagePlace, rebuilt, verified } from "./sqlite-damage.ts";

let place: DamagePlace;
let path: string;

beforeEach(async () => {
  place = await damagePlace();
  path = await place.copy();
});
afterEach(() => place.remove());

describe("what others made is told apart from an event log, and left as it is:", () => {
  test.each([
    ["an empty file", ""],
    ["somebody else's database", "CREATE TABLE customers (name TEXT)"],
    ["one with a number", "CREATE TABLE customers (name TEXT); PRAGMA user_version = 1"],
  ])("%s, which verify names", async (_, sql) => {
    await writeFile(path, "");
    damage(path, sql);
    const before = await readFile(path);
    const { lines } = await verified(path);
    expect(lines).toEqual([expect.stringContaining("it is not an event log of this service")]);
    await expect(rebuilt(path)).rejects.toThrow("is not an event log");
    expect(await readFile(path)).toEqual(before);
  });

  few().each([
    ["loss", "loss"],
    ["a name; with \u0007", '"a name; with \\u0007"'],
  ])("a trigger, which may change what is written: %j", async (name, told) => {
    const [quoted, what] = [`"${name}"`, `the trigger ${told} does not belong to this service`];
    damage(path, `CREATE TRIGGER ${quoted} BEFORE INSERT ON events BEGIN SELECT 1; END`);
    const before = await readFile(path);
    expect((await verified(path)).lines).toEqual([`file: ${what}: it may change or refuse writes`]);
    for (const opening of [opened(), rebuilt(path)]) await expect(opening).rejects.toThrow(what);
    expect(await readFile(path)).toEqual(before);
    damage(path, `DROP TRIGGER ${quoted}`);
    await (await opened()).close();
  });

  few().each([
    [10, "t10 does not belong to this service: it may change or refuse writes. Find out who made"],
    [
      11,
      "t10 does not belong to this service: it may change or refuse writes; and 1 more. Find out",
    ],
  ])("%d triggers, of which ten are named", async (count, told) => {
    const numbers = Array.from({ length: count }, (_, i) => i + 1);
    const trigger = (number: number) =>
      `CREATE TRIGGER t${number} AFTER DELETE ON texts BEGIN SELECT 1; END`;
    damage(path, numbers.map(trigger).join(";"));
    await expect(opened()).rejects.toThrow(told);
  });
});

describe("what others put into a log that refuses writes is named, and left as it is:", () => {
  const replaced = (name: string, from: string, to: string) =>
    `UPDATE sqlite_schema SET sql = replace(sql, '${from}', '${to}') WHERE name = '${name}'`;
  const foreign = (thing: string) =>
    `the ${thing} evil does not belong to this service: it may change or refuse writes`;
  const changed = (thing: string) => `the ${thing} is not that of this schema`;

  few(6).each([
    ["a unique index", "CREATE UNIQUE INDEX evil ON texts (list, first)", foreign("index")],
    [
      "an index of an expression that raises",
      "CREATE INDEX evil ON events (abs(-9223372036854775708 - position))",
      foreign("index"),
    ],
    [
      "an index of some rows",
      "CREATE INDEX evil ON events (time) WHERE abs(position) > 0",
      foreign("index"),
    ],
    [
      "an index that compares otherwise",
      "CREATE INDEX evil ON objects (owner COLLATE NOCASE)",
      foreign("index"),
    ],
    ["a plain index", 'CREATE INDEX evil ON events (time, "owner" DESC)', foreign("index")],
    [
      "a plain index that leads to other pages",
      `CREATE INDEX evil ON artifacts (uses);
       UPDATE sqlite_schema SET rootpage =
         (SELECT rootpage FROM sqlite_schema WHERE name = 'turns_turn') WHERE name = 'evil'`,
      foreign("index"),
    ],
    [
      "an index that looks like another behind a comment",
      `CREATE INDEX "a--" ON events
         (CASE WHEN type = 'user.deactivated' THEN abs(-9223372036854775807 - 1) END) /*
         ON events (owner)`,
      "the index a-- does not belong to this service: it may change or refuse writes",
    ],
    [
      "a row that leads an index to other pages",
      `INSERT INTO sqlite_schema SELECT type, upper(name), tbl_name,
           (SELECT rootpage FROM sqlite_schema WHERE name = 'turns_turn'), NULL
         FROM sqlite_schema WHERE name = 'artifacts_family'`,
      changed("index ARTIFACTS_FAMILY"),
    ],
    [
      "a row that leads a table without row ids to other pages",
      `INSERT INTO sqlite_schema SELECT type, 'sqlite_autoindex_answers_1', tbl_name, rootpage,
         NULL FROM sqlite_schema WHERE name = 'turns_turn'`,
      foreign("index").replace("evil", "sqlite_autoindex_answers_1"),
    ],
    [
      "a row that leads the index of a key to other pages",
      `INSERT INTO sqlite_schema SELECT type, name, tbl_name,
           (SELECT rootpage FROM sqlite_schema WHERE name = 'turns_turn'), sql
         FROM sqlite_schema WHERE name = 'sqlite_autoindex_events_1'`,
      changed("index sqlite_autoindex_events_1"),
    ],
    [
      "a table that keeps rows",
      `CREATE TABLE evil (stream TEXT REFERENCES objects (stream));
       INSERT INTO evil SELECT stream FROM objects`,
      foreign("table"),
    ],
    [
      "a table that keeps rows behind what looks like a comment",
      "CREATE TABLE evil (ref TEXT /* of ours -- see wiki */ REFERENCES artifacts (key))",
      foreign("table"),
    ],
    [
      "a table that keeps rows behind a name",
      "CREATE TABLE evil (ref TEXT, [--] TEXT, FOREIGN KEY (ref) REFERENCES artifacts (key))",
      foreign("table"),
    ],
    [
      "a table that keeps rows beside one in which no tables are listed",
      `CREATE TABLE evil (ref TEXT REFERENCES artifacts (key));
       CREATE TABLE pragma_table_list (schema TEXT, name TEXT, type TEXT)`,
      foreign("table"),
    ],
    [
      "an index beside a table in which no tables are listed",
      `CREATE INDEX evil ON events (abs(position));
       CREATE TABLE Pragma_Table_List (schema TEXT, name TEXT, type TEXT)`,
      foreign("index"),
    ],
    [
      "a table that stands in for a list of SQLite",
      "CREATE TABLE pragma_table_list (schema TEXT, name TEXT, type TEXT)",
      foreign("table").replace("evil", "pragma_table_list"),
    ],
    [
      "a view that does",
      "CREATE VIEW PRAGMA_index_list AS SELECT 1 AS name",
      foreign("view").replace("evil", "PRAGMA_index_list"),
    ],
    [
      "a table that stands in for a function",
      "CREATE TABLE json_each (value TEXT)",
      foreign("table").replace("evil", "json_each"),
    ],
    [
      "a table that keeps rows under a name that is no text",
      `CREATE TABLE evil (ref TEXT);
       UPDATE sqlite_schema SET name = 'evil' || CAST(x'ff' AS TEXT),
         tbl_name = 'evil' || CAST(x'ff' AS TEXT), sql = 'CREATE TABLE "evil' ||
           CAST(x'ff' AS TEXT) || '" (ref TEXT REFERENCES artifacts (key))' WHERE name = 'evil'`,
      foreign("table").replace("evil", '"evil\ufffd"'),
    ],
    [
      "a check",
      replaced("events", "owner TEXT NOT NULL", "owner TEXT NOT NULL CHECK (0)"),
      changed("table events"),
    ],
    [
      "a check behind what looks like a comment",
      replaced("messages", "DEFAULT ''''", "DEFAULT ''--'' CHECK (0) DEFAULT ''\n''"),
      changed("table messages"),
    ],
    [
      "a check beside the log",
      replaced("answers", "number INTEGER NOT NULL", "number INTEGER NOT NULL CHECK (number > 9)"),
      changed("table answers"),
    ],
    [
      "an index of its own with other columns",
      "DROP INDEX turns_turn; CREATE INDEX turns_turn ON turns (type)",
      changed("index turns_turn"),
    ],
    ["an index less", "DROP INDEX answers_caller", "the index answers_caller is missing"],
  ])("%s", async (_what, sql, told) => {
    damage(path, "", (db) => {
      db.unsafeMode(true);
      db.exec(`PRAGMA writable_schema = ON; ${sql}`);
    });
    const before = await readFile(path);
    expect((await verified(path)).lines).toContain(`file: ${told}`);
    for (const opening of [opened(), rebuilt(path)]) await expect(opening).rejects.toThrow(told);
    expect(await readFile(path)).toEqual(before);
  });

  test.each([
    ["an index", "CREATE INDEX evil ON events (abs(position))", "fine"],
    ["a table", "CREATE TABLE evil (ref TEXT REFERENCES artifacts (key))", "own"],
  ])("%s under the name of one that is harmless is no schema to SQLite", async (_, sql, name) => {
    damage(path, "CREATE TABLE own (name TEXT); CREATE INDEX fine ON own (name)", (db) => {
      db.unsafeMode(true);
      db.exec(`PRAGMA writable_schema = ON; ${sql};
        UPDATE sqlite_schema SET name = '${name}', tbl_name = 'own' WHERE name = 'evil'`);
    });
    for (const refused of [verified(path), opened(), rebuilt(path)]) {
      await expect(refused).rejects.toThrow("malformed database schema");
    }
  });

  few(2).each([
    ["statistics", "ANALYZE"],
    ["a view", "CREATE VIEW own AS SELECT text FROM main.texts"],
    ["a table", "CREATE TABLE own (stream TEXT UNIQUE); INSERT INTO own VALUES ('thing-1')"],
    [
      "a table of many indexes",
      `CREATE TABLE own (stream TEXT DEFAULT '-- REFERENCES' /* REFERENCES texts */);
       CREATE UNIQUE INDEX one ON own (stream) WHERE stream > '';
       CREATE INDEX "-- two" ON own (length(stream))`,
    ],
  ])("%s of an operator cannot, and is passed over", async (_what, sql) => {
    damage(path, sql);
    expect((await verified(path)).lines).toEqual([]);
    await rebuilt(path);
    await (await opened()).close();
  });
});

test("a table that keeps rows refuses no delete of a log that is served", async () => {
  const store = await opened();
  const artifact = { key: "kind:1", payload: "", expiresMs: 2 };
  await store.artifacts.write([{ kind: "put", artifact }], 1);
  damage(
    path,
    "CREATE TABLE evil (ref TEXT REFERENCES artifacts (key)); INSERT INTO evil VALUES ('kind:1')",
  );
  await store.artifacts.write([{ kind: "remove", key: "kind:1" }], 1);
  expect(await store.artifacts.find("kind:1", 1)).toBeUndefined();
  await store.close();
});

test("nothing is written to tables that a newer program has changed", async () => {
  const store = await opened();
  damage(path, "PRAGMA user_version = 99");
  await expect(record(store, "thing-9", [["added", { name: "late" }]])).rejects.toThrow(
    "A newer version of the program has taken over the log",
  );
  expect(await store.load(["thing-9"])).toMatchObject([{ version: 0 }]);
  await store.close();
});

const opened = () => openSqlite({ path, projector: things(), ...sealing });
