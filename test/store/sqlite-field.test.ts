import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { ObjectRow } from "../../src/event.ts";
import type { Filter } from "../../src/store/query.ts";
import { sql } from "../../src/store/sql.ts";
import { prepareLast } from "../../src/store/sqlite/sql.ts";
import { append, change, eventsOf, streamsOf, thing, things } from "./fixture.ts";
import type { SqlitePlace } from "./sqlite-place.ts";
import { sqlitePlace } from "./sqlite-place.ts";
import { textCases, textsText } from "./texts.ts";

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

describe("the table of texts", () => {
  textCases({ open: () => place.open(), rowsOf });

  const nameOf = (row: string) => `(SELECT name FROM lists WHERE number = ${row}.list)`;

  /** Notes every row that comes and goes. */
  function watch() {
    const db = place.connect();
    db.exec(`
      CREATE TABLE touched (what TEXT);
      CREATE TRIGGER came AFTER INSERT ON texts
        BEGIN INSERT INTO touched VALUES ('+ ' || ${nameOf("new")} || ' ' || new.text); END;
      CREATE TRIGGER went AFTER DELETE ON texts
        BEGIN INSERT INTO touched VALUES ('- ' || ${nameOf("old")} || ' ' || old.text); END;
      CREATE TRIGGER changed AFTER UPDATE ON texts
        BEGIN INSERT INTO touched VALUES ('~ ' || ${nameOf("new")} || ' ' || new.text); END;
    `);
    return () => {
      const touched = db.prepare("SELECT what FROM touched ORDER BY rowid").pluck().all();
      db.exec("DELETE FROM touched");
      return touched;
    };
  }

  it("has the same for half a character as what it is compared with", async () => {
    const store = await place.open();
    const half = "half \ud83d";
    await store.append(append([thing("thing-1", { name: half }), thing("thing-2", { name: "x" })]));
    const filters: readonly Filter[] = [
      { kind: "text", field: "name", method: "starts-with", ignoreCase: false, value: half },
      { kind: "one-of", field: "name", values: [half] },
    ];
    for (const where of filters) expect(await streamsOf(store, { where })).toEqual(["thing-1"]);
  });

  it("is touched only where a text changed", async () => {
    const store = await place.open();
    const touched = watch();
    const steps: readonly (readonly [ObjectRow | undefined, readonly string[]])[] = [
      [{ kind: "thing", parent: "", fields: { a: "1", b: "2" } }, ["+ a 1", "+ b 2"]],
      [{ kind: "thing", parent: "", fields: { a: "1", b: "2" } }, []],
      [{ kind: "thing", parent: "", fields: { a: "1", b: "X" } }, ["- b 2", "+ b x"]],
      [{ kind: "thing", parent: "", fields: { a: "1", b: "x" } }, []],
      [{ kind: "thing", parent: "", fields: { b: "x", a: "1" } }, []],
      [{ kind: "thing", parent: "", fields: { b: "x" } }, ["- a 1"]],
      [{ kind: "thing", parent: "p", fields: { b: "x" } }, ["- b x", "+ b x"]],
      [{ kind: "other", parent: "p", fields: { b: "x" } }, ["- b x", "+ b x"]],
      [undefined, ["- b x"]],
      [undefined, []],
      [{ kind: "thing", parent: "", fields: {} }, []],
    ];
    for (const [i, [row, expected]] of steps.entries()) {
      const rest = row === undefined ? { row, state: undefined } : { row };
      eventsOf(await store.append(append([change("thing-1", i, rest)])));
      expect([i, touched()]).toEqual([i, expected]);
    }
  });
});

/** See `textCases`. */
async function rowsOf(): Promise<unknown[][]> {
  const db = place.connect();
  return db.prepare<[], unknown[]>(textsText).raw().all();
}

describe("the statements of lists", () => {
  it("are kept up to the limit, those that were used last, and not one more", () => {
    const statement = prepareLast(place.connect(), 2);
    const [one, two] = [statement("SELECT 1"), statement("SELECT 2")];
    // Jest cannot print a statement, so it gets to see no more than whether it is the same.
    const isSame = () => [statement("SELECT 1") === one, statement("SELECT 2") === two];
    expect(isSame()).toEqual([true, true]);
    expect(statement("SELECT 1").all()).toEqual([[1n]]);
    expect(statement("SELECT 3").all()).toEqual([[3n]]);
    expect(isSame()).toEqual([true, false]);
  });

  it("answer each its own question, however few are kept", async () => {
    const store = await place.open(things(), { listStatements: 1 });
    await store.append(append(["a", "b"].map((name) => thing(`thing-${name}`, { name }))));
    const is = (value: string, method: "equals" | "contains"): Filter => ({
      kind: "text",
      field: "name",
      method,
      ignoreCase: true,
      value,
    });
    for (const value of ["a", "b", "a"]) {
      expect(await streamsOf(store, { where: is(value, "equals") })).toEqual([`thing-${value}`]);
      expect(await streamsOf(store, { where: is(value, "contains") })).toEqual([`thing-${value}`]);
      expect(await streamsOf(store)).toEqual(["thing-a", "thing-b"]);
    }
  });

  it("are made of texts that hold no value", () => {
    const inner = sql`b = ${"'"} OR c IN (${1}, ${"--"})`;
    expect(sql`a = ${"?"} AND (${inner}) LIMIT ${2}`).toEqual({
      text: "a = ? AND (b = ? OR c IN (?, ?)) LIMIT ?",
      values: ["?", "'", 1, "--", 2],
    });
  });
});
