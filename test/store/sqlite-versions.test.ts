import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type Database from "better-sqlite3";
import { createTransactions } from "../../src/store/sqlite/known.ts";
import { prepareVersions } from "../../src/store/sqlite/versions.ts";
import { append, change, eventsOf } from "./fixture.ts";
import { type SqlitePlace, sqlitePlace } from "./sqlite-place.ts";

let place: SqlitePlace;
let db: Database.Database;
beforeEach(async () => {
  place = await sqlitePlace();
  const store = await place.open();
  for (const n of [0, 1, 2]) eventsOf(await store.append(append([change(`thing-${n}`, 0)])));
  db = place.connect();
});
afterEach(async () => {
  await place.remove();
});

/** Versions of the connection and its transactions, and how many were read from the file so far. */
function watched(most = 100) {
  const { prepare } = db;
  let read = 0;
  db.prepare = ((text: string) => {
    const statement = prepare.call(db, text) as Database.Statement<unknown[]>;
    const get = statement.get.bind(statement);
    statement.get = (...values: unknown[]) => {
      read += values.length;
      return get(...values);
    };
    return statement;
  }) as typeof db.prepare;
  const transactions = createTransactions(db);
  transactions.others = () => db.pragma("data_version", { simple: true }) as number;
  return {
    ...prepareVersions(db, transactions, most),
    begin() {
      db.exec("BEGIN IMMEDIATE");
      transactions.begin();
    },
    end(isCommitted: boolean) {
      db.exec(isCommitted ? "COMMIT" : "ROLLBACK");
      transactions.end(isCommitted);
    },
    readSince: () => {
      const before = read;
      read = 0;
      return before;
    },
  };
}

/** Writes an event of a stream past the store. */
function write(by: Database.Database, stream: string, version: number): void {
  by.exec(`INSERT INTO events
    SELECT max(position) + 1, '${stream}', ${version}, type, owner, actor, time, payload,
      salt, mac, link FROM events`);
}

test("versions are in the order of the streams, and read once", () => {
  const versions = watched();
  expect(versions.of(["thing-1", "none", "thing-0"])).toEqual([1, 0, 1]);
  expect(versions.readSince()).toBe(3);
  expect(versions.of(["none", "thing-2", "thing-1"])).toEqual([0, 1, 1]);
  expect(versions.readSince()).toBe(1);
});

test("what another connection has written is read, of whatever stream", () => {
  const versions = watched();
  versions.of(["thing-0", "thing-1", "none"]);
  const other = place.connect();
  write(other, "thing-1", 2);
  expect(versions.of(["thing-0", "thing-1"])).toEqual([1, 2]);
  write(other, "none", 1);
  expect(versions.of(["thing-0", "none"])).toEqual([1, 1]);
});

test("what a transaction writes is seen in it, and not once it is undone", () => {
  const versions = watched();
  versions.of(["thing-0", "thing-1"]);
  for (const isCommitted of [false, true]) {
    versions.begin();
    write(db, "thing-0", 2);
    versions.wrote("thing-0", 2);
    expect(versions.of(["thing-0", "thing-1"])).toEqual([2, 1]);
    versions.end(isCommitted);
    expect(versions.of(["thing-0"])).toEqual([isCommitted ? 2 : 1]);
  }
});

test("what a transaction has read or written is remembered once it is committed", () => {
  const versions = watched();
  for (const [isCommitted, read] of [
    [false, 2],
    [true, 2],
    [true, 0],
  ] as const) {
    versions.begin();
    versions.wrote("thing-2", 7);
    for (const _time of [1, 2]) {
      expect(versions.of(["thing-0", "thing-1", "thing-2"])).toEqual([1, 1, 7]);
    }
    versions.end(isCommitted);
    expect(versions.readSince()).toBe(read);
  }
  expect(versions.of(["thing-2"])).toEqual([7]);
  expect(versions.readSince()).toBe(0);
});

test("long names of what does not exist: past `knownVersionCharacters` all are read again", () => {
  const three = ["thing-0", "thing-1", "thing-2"];
  const versions = watched(three.join("").length);
  versions.of(three);
  versions.readSince();
  versions.of(three);
  expect(versions.readSince()).toBe(0);
  versions.of(["a"]);
  expect(versions.readSince()).toBe(1);
  versions.of([...three, "a"]);
  expect(versions.readSince()).toBe(3);
});

test("what others have written is told in the next turn, and in a transaction", async () => {
  const { others } = createTransactions(db);
  const before = others();
  const other = place.connect();
  write(other, "thing-1", 2);
  expect(others()).toBe(before);
  db.exec("BEGIN");
  const after = others();
  db.exec("COMMIT");
  expect(after).not.toBe(before);
  expect(others()).toBe(before);
  await turn();
  expect(others()).toBe(after);
});
