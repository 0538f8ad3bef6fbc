import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { ObjectRow } from "../../src/event.ts";
import type { Filter } from "../../src/store/query.ts";
import { sql } from "../../src/store/sql.ts";
import { prepareLast } from "../../src/store/sqlite/sql.ts";
import { append, change, eventsOf, streamsOf, thing, things } from "./fixture.ts";
import type { SqlitePlace } from "./sqlite-place.ts";
import { sqlitePlace } from "./sqlite-place.ts";

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

describe("the table of fields", () => {
  /** Notes every row that comes and goes. */
  function watch() {
    const db = place.connect();
    db.exec(`
      CREATE TABLE touched (what TEXT);
      CREATE TRIGGER came AFTER INSERT ON fields
        BEGIN INSERT INTO touched VALUES ('+ ' || new.name || ' ' || new.exact); END;
      CREATE TRIGGER went AFTER DELETE ON fields
        BEGIN INSERT INTO touched VALUES ('- ' || old.name || ' ' || old.exact); END;
      CREATE TRIGGER changed AFTER UPDATE ON fields
        BEGIN INSERT INTO touched VALUES ('~ ' || new.name || ' ' || new.exact); END;
    `);
    return () => {
      const touched = db.prepare("SELECT what FROM touched ORDER BY rowid").pluck().all();
      db.exec("DELETE FROM touched");
      return touched;
    };
  }

  it("has a row for each text of an object, as it is and as it is compared", async () => {
    const store = await place.open();
    const made = [
      thing("thing-1", { name: "Öl", nick: "" }, "p-1"),
      thing("thing-2", { name: "O\u0308L", nick: "ΣΑΣ" }),
    ];
    await store.append(append(made));
    const rows = place.connect().prepare("SELECT * FROM fields").raw().all();
    expect(rows).toEqual([
      ["thing", "", "name", "öl", 2, "O\u0308L"],
      ["thing", "", "nick", "σασ", 2, "ΣΑΣ"],
      ["thing", "p-1", "name", "öl", 1, "Öl"],
      ["thing", "p-1", "nick", "", 1, ""],
    ]);
  });

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
      [{ kind: "thing", parent: "", fields: { a: "1", b: "X" } }, ["- b 2", "+ b X"]],
      [{ kind: "thing", parent: "", fields: { a: "1", b: "x" } }, ["- b X", "+ b x"]],
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

  it("follows an append to what another of the same turn left", async () => {
    const store = await place.open();
    const named = (name: string) => ({ row: { kind: "thing", parent: "", fields: { name } } });
    const made = ["a", "b", "c"].map((name, i) =>
      store.append(append([change("thing-1", i, named(name))])),
    );
    for (const each of made) eventsOf(await each);
    const rows = place.connect().prepare("SELECT folded, first FROM fields").raw().all();
    expect(rows).toEqual([["c", 1]]);
  });
});

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
