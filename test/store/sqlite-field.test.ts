import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { ObjectRow } from "../../src/event.ts";
import type { Filter, ListQuery } from "../../src/store/query.ts";
import { sql } from "../../src/store/sql.ts";
import { prepareLast } from "../../src/store/sqlite/sql.ts";
import type { Change, Store } from "../../src/store/store.ts";
import { append, change, eventsOf, streamsOf, thing, things } from "./fixture.ts";
import type { SqlitePlace } from "./sqlite-place.ts";
import { sqlitePlace } from "./sqlite-place.ts";

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

describe("the table of texts", () => {
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

  it("has a row for each text of an object, as it is compared", async () => {
    const store = await place.open();
    const made = [
      thing("thing-1", { name: "Öl", nick: "" }, "p-1"),
      thing("thing-2", { name: "O\u0308L", nick: "ΣΑΣ" }),
    ];
    await store.append(append(made));
    expect(rowsOf()).toEqual([
      ["thing", "", "name", "öl", 2, 2, 1],
      ["thing", "", "nick", "σασ", 2, 2, 1],
      ["thing", "p-1", "name", "öl", 1, 1, 1],
      ["thing", "p-1", "nick", "", 1, 1, 1],
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

  it("follows an append to what another of the same turn left", async () => {
    const store = await place.open();
    const named = (name: string) => ({ row: { kind: "thing", parent: "", fields: { name } } });
    const made = ["a", "b", "c"].map((name, i) =>
      store.append(append([change("thing-1", i, named(name))])),
    );
    for (const each of made) eventsOf(await each);
    expect(rowsOf()).toEqual([["thing", "", "name", "c", 1, 1, 1]]);
  });

  describe("of a field whose claim says the same", () => {
    const claimed = { kind: "thing.name", scope: "p" };
    const named = (name: string) => ({
      row: { kind: "thing", parent: "p", fields: { name } },
      state: JSON.stringify({ name }),
    });
    const take = (value: string) => ({ take: [{ ...claimed, value }] });
    const release = (value: string) => ({ release: [{ ...claimed, value }] });
    const both = (text: string) => ["thing", "p", "name", text, 0, 1, 1];
    const claimAlone = (text: string) => ["thing", "p", "name", text, 0, 1, 0];
    const fieldAlone = (text: string) => ["thing", "p", "name", text, 1, 1, 1];

    it.each<[string, readonly Partial<Change>[], unknown[][]]>([
      ["has one row for both", [{ ...named("A"), ...take("a") }], [both("a")]],
      [
        "has a row for each where they differ",
        [{ ...named(" A"), ...take("a") }],
        [fieldAlone(" a"), claimAlone("a")],
      ],
      [
        "goes on with both",
        [
          { ...named("A"), ...take("a") },
          { ...named("B"), ...take("b"), ...release("a") },
        ],
        [both("b")],
      ],
      [
        "parts them where the field comes to differ, and the claim stays",
        [{ ...named("A"), ...take("a") }, named(" A")],
        [fieldAlone(" a"), claimAlone("a")],
      ],
      [
        "joins them where the field comes to say the same",
        [{ ...named(" A"), ...take("a") }, named("A")],
        [both("a")],
      ],
      [
        "keeps the field where the claim alone goes",
        [
          { ...named("A"), ...take("a") },
          { ...named("A"), ...release("a") },
        ],
        [fieldAlone("a")],
      ],
      [
        "joins a claim that comes later",
        [named("A"), { ...named("A"), ...take("a") }],
        [both("a")],
      ],
      [
        "keeps the claim where the object is seen no more",
        [
          { ...named("A"), ...take("a") },
          { row: undefined, state: undefined },
        ],
        [claimAlone("a")],
      ],
      [
        "loses both at once",
        [
          { ...named("A"), ...take("a") },
          { row: undefined, state: undefined, ...release("a") },
        ],
        [],
      ],
    ])("%s", async (_, changes, rows) => {
      const store = await place.open();
      for (const [i, rest] of changes.entries()) {
        eventsOf(await store.append(append([change("thing-1", i, rest)])));
      }
      expect(rowsOf()).toEqual(rows);
      // What an object lists no more is not found, and what it claims is.
      const listed = rows.filter(([, , , , , , isListed]) => isListed === 1);
      expect(await streamsOf(store, { parents: ["p"], sortBy: "name" })).toHaveLength(
        listed.length,
      );
    });

    it("is a page's last, and begins the next, whatever its tie is", async () => {
      const store = await place.open();
      const made = ["a", "b", "c"].map((name, i) =>
        change(`thing-${i}`, 0, { ...named(name), ...take(name) }),
      );
      eventsOf(await store.append(append(made)));
      for (const descending of [false, true]) {
        const list = { kind: "thing", parents: ["p"], sortBy: "name", descending, limit: 1 };
        const seen: string[] = [];
        let { objects, end } = await pageOf(store, { ...list, offset: 0 });
        while (objects.length > 0) {
          seen.push(...objects.map(({ stream }) => stream));
          if (end === undefined) break;
          ({ objects, end } = await pageOf(store, { ...list, offset: 0, after: end }));
        }
        const all = ["thing-0", "thing-1", "thing-2"];
        expect(seen).toEqual(descending ? all.reverse() : all);
      }
    });
  });
});

/** Each row with the list that it is in: text, tie, first and whether it is listed. */
function rowsOf(): unknown[] {
  const db = place.connect();
  return db
    .prepare(
      `SELECT kind, parent, lists.name, text, tie, first, listed
       FROM texts JOIN lists ON number = list ORDER BY kind, parent, lists.name, text, tie`,
    )
    .raw()
    .all();
}

async function pageOf(store: Store, query: ListQuery) {
  const page = await store.list(query);
  if (page === undefined) throw new Error("there was no time for a page");
  return page;
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
