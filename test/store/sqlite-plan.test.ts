import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type Database from "better-sqlite3";
import type { Filter, ListQuery } from "../../src/store/query.ts";
import { compileList } from "../../src/store/sqlite/list.ts";
import { firstText, pendingText } from "../../src/store/sqlite/message.ts";
import { preparePace } from "../../src/store/sqlite/pace.ts";
import { lookText, searchTexts } from "../../src/store/sqlite/search.ts";
import { turnTexts } from "../../src/store/sqlite/turns.ts";
import { few } from "../harness/in-full.ts";
import { append, eventsOf, record, thing } from "./fixture.ts";
import type { SqlitePlace } from "./sqlite-place.ts";
import { sqlitePlace } from "./sqlite-place.ts";

let place: SqlitePlace;
let db: Database.Database;
beforeEach(async () => {
  place = await sqlitePlace();
  const store = await place.open();
  const made = Array.from({ length: 200 }, (_, i) =>
    thing(`thing-${i}`, { name: `Name ${i % 50}`, state: "active" }, `parent-${i % 3}`),
  );
  eventsOf(await store.append(append(made)));
  db = place.connect();
  preparePace(db);
});
afterEach(() => place.remove());

const text = (method: "equals" | "starts-with" | "above", ignoreCase = true): Filter => ({
  kind: "text",
  field: "name",
  method,
  ignoreCase,
  value: "Name 1",
});

const parents = ["parent-1"];
const covered = "x USING COVERING INDEX objects_kind_parent (kind=? AND parent=?)";
const coveredByRow = "x USING COVERING INDEX objects_kind_parent (kind=? AND parent=? AND rowid=?)";
const inOrder = "x USING PRIMARY KEY (list=?)";
const behind = (sign: string) =>
  `x USING COVERING INDEX objects_kind_parent (kind=? AND parent=? AND rowid${sign}?)`;
const inOrderBehind = (sign: string) => `x USING PRIMARY KEY (list=? AND (text,tie)${sign}(?,?))`;
const everything: Filter = { kind: "and", filters: [{ kind: "and", filters: [] }] };
const ofName = { folded: "name 1", first: 9n };
const byKey = "texts USING PRIMARY KEY (list=?";
const equal = `${byKey} AND text=?)`;
const asItIs = "o USING INTEGER PRIMARY KEY (rowid=?)";
const prefix = `${byKey} AND text>? AND text<?)`;

describe("a list under one parent", () => {
  few(6).each<[string, Partial<ListQuery>, string[]]>([
    ["by creation", {}, [covered]],
    ["by creation, backwards", { descending: true }, [covered]],
    ["by creation, behind a place", { after: { first: 9n } }, [behind(">")]],
    [
      "by creation, backwards, behind one",
      { descending: true, after: { first: 9n } },
      [behind("<")],
    ],
    ["by a field", { sortBy: "name" }, [inOrder]],
    ["by a field, backwards", { sortBy: "name", descending: true }, [inOrder]],
    ["by a field, behind a place", { sortBy: "name", after: ofName }, [inOrderBehind(">")]],
    [
      "by a field, backwards, behind one",
      { sortBy: "name", descending: true, after: ofName },
      [inOrderBehind("<")],
    ],
    ["with no condition", { where: everything }, [covered]],
    ["with a text", { where: text("equals") }, [coveredByRow, equal]],
    ["with a text, exactly", { where: text("equals", false) }, [coveredByRow, equal, asItIs]],
    ["with a prefix", { where: text("starts-with") }, [coveredByRow, prefix]],
    ["above a text", { where: text("above") }, [coveredByRow, `${byKey} AND text>?)`]],
    [
      "with a prefix, exactly",
      { where: text("starts-with", false) },
      [coveredByRow, prefix, asItIs],
    ],
    ["with a text, by a field", { where: text("equals"), sortBy: "name" }, [inOrder, equal]],
    [
      "with a prefix, by a field, backwards",
      { where: text("starts-with"), sortBy: "name", descending: true },
      [inOrder, prefix],
    ],
    [
      "with one text or another",
      { where: { kind: "or", filters: [text("equals"), text("equals", false)] } },
      [covered, equal, equal, asItIs],
    ],
    [
      "with several texts",
      { where: { kind: "one-of", field: "name", values: ["Name 1", "Name 2"] } },
      [coveredByRow, equal, asItIs],
    ],
    [
      "with streams",
      { where: { kind: "streams", streams: ["thing-1"] } },
      [coveredByRow, "objects USING COVERING INDEX sqlite_autoindex_objects_1 (stream=?)"],
    ],
  ])("is read from the index, %s", (_, rest, expected) => {
    const { page, total } = compileList({ kind: "thing", parents, offset: 0, limit: 10, ...rest });
    expect(planOf(page.text, page.values)).toEqual(expected.map((each) => `SEARCH ${each}`));
    // The number of all is looked up where nothing is asked of them, else it is counted.
    const isAll = rest.where === undefined || rest.where === everything;
    const counted = isAll ? ["counts USING PRIMARY KEY (kind=? AND parent=?)"] : expected;
    expect(planOf(total.text, total.values)).toEqual(counted.map((each) => `SEARCH ${each}`));
  });
});

describe("the counts of lists", () => {
  it("are kept of no parent under which nothing is left", async () => {
    const store = await place.open();
    const counts = db.prepare("SELECT parent, objects FROM counts WHERE parent LIKE 'p-%'");
    eventsOf(await record(store, "thing-a", [["added", { name: "A", parent: "p-1" }]]));
    eventsOf(await record(store, "thing-b", [["added", { name: "B", parent: "p-2" }]]));
    expect(counts.all()).toEqual(["p-1", "p-2"].map((parent) => ({ parent, objects: 1 })));
    eventsOf(await record(store, "thing-a", [["renamed", { parent: "p-2" }]]));
    expect(counts.all()).toEqual([{ parent: "p-2", objects: 2 }]);
    for (const stream of ["thing-a", "thing-b"]) {
      eventsOf(await record(store, stream, [["removed", {}]]));
    }
    expect(counts.all()).toEqual([]);
  });
});

describe("a list of everything", () => {
  const all = { kind: "thing", offset: 0, limit: 10 };
  const ofKind = "SEARCH lists USING COVERING INDEX sqlite_autoindex_lists_1 (kind=? AND name=?)";

  it("is read from the index of the kind", () => {
    const { page } = compileList(all);
    const expected = "SEARCH x USING COVERING INDEX objects_kind (kind=?)";
    expect(planOf(page.text, page.values)).toEqual([expected]);
  });

  it("looks for a text under each of the parents", () => {
    const { page } = compileList({ ...all, where: text("equals") });
    expect(planOf(page.text, page.values)).toEqual([
      "SEARCH x USING COVERING INDEX objects_kind (kind=? AND rowid=?)",
      `SEARCH ${equal}`,
      ofKind,
    ]);
  });

  it("is sorted from the rows of the field alone", () => {
    const { page } = compileList({ ...all, sortBy: "name" });
    expect(planOf(page.text, page.values)).toEqual([
      `SEARCH ${inOrder}`,
      ofKind,
      "USE TEMP B-TREE FOR ORDER BY",
    ]);
  });

  it("is sorted from what lies under the parents when there are several", () => {
    const { page } = compileList({ ...all, parents: ["parent-1", "parent-2"] });
    expect(planOf(page.text, page.values)).toEqual([
      `SEARCH ${covered}`,
      "USE TEMP B-TREE FOR ORDER BY",
    ]);
  });
});

describe("a search", () => {
  const bound = { lowest: 1n, highest: 9n, limit: 9, versions: "[]", kinds: "[]", types: "[]" };
  const values = [{ ...bound, owner: null, actor: null, fromMs: null, untilMs: null }];
  const byPosition = ["SEARCH events USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"];
  const byVersion = [
    "SEARCH events USING INDEX sqlite_autoindex_events_1 (stream=? AND version>? AND version<?)",
    "USE TEMP B-TREE FOR ORDER BY",
  ];

  it.each<[keyof typeof searchTexts, string[]]>([
    ["up", byPosition],
    ["down", byPosition],
    ["upInStreams", byVersion],
    ["downInStreams", byVersion],
  ])("looks at a range of positions or of versions alone: %s", (text, expected) => {
    expect(planOf(searchTexts[text], values)).toEqual(expected);
  });

  it("finds the versions of a stream without a look at each", () => {
    const plan = planOf(lookText, [{ streams: "[]", lowest: 1n, beyond: 9n }]);
    const reads = plan.filter((step) => step.includes(" e "));
    const byKey = "SEARCH e USING COVERING INDEX sqlite_autoindex_events_1 (stream=?";
    const ofOne = `${byKey} AND version=?)`;
    expect(reads).toEqual([`${byKey})`, ofOne, ofOne]);
  });
});

describe("a lease", () => {
  const line = "(type=? AND owner=?";
  const values = { types: "[]", nowMs: 1, type: "a", owner: "b", stream: "thing-1", limit: 1 };

  it.each<[string, string, string[]]>([
    [
      "for whose turn it is",
      turnTexts.next,
      [
        "SEARCH turns USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH turns USING COVERING INDEX turns_turn (type=? AND turn<?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
    ],
    [
      "for what is first in a line",
      firstText,
      [
        `SEARCH messages USING INDEX messages_line ${line} AND due<?)`,
        "SEARCH events USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
      ],
    ],
    [
      "for what waits of a stream",
      pendingText,
      [
        "SEARCH events USING COVERING INDEX sqlite_autoindex_events_1 (stream=?)",
        "SEARCH messages USING PRIMARY KEY (position=?)",
        "USE TEMP B-TREE FOR ORDER BY",
      ],
    ],
    [
      "for the next turn",
      turnTexts.queue,
      [`SEARCH messages USING COVERING INDEX messages_line ${line})`],
    ],
  ])("looks into an index alone, %s", (_, text, expected) => {
    const plan = planOf(text, [values]).map((step) => step.replace(/ \d+$/, ""));
    expect(plan).toEqual(expected);
  });
});

/**
 * What SQLite does with tables and order. Left out are lists of values, what it builds to skip
 * rows, and how it finds the number of a list.
 */
function planOf(sql: string, values: readonly unknown[]): string[] {
  const rows = db.prepare<unknown[], Step>(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
  return rows.map(({ detail }) => detail).filter((detail) => !passedOver.test(detail));
}

const passedOver = new RegExp(
  "^(?:LIST SUBQUERY|(?:CORRELATED )?SCALAR SUBQUERY \\d|SCAN json_each|CREATE BLOOM FILTER" +
    "|SEARCH lists USING COVERING INDEX sqlite_autoindex_lists_1 " +
    "\\(kind=\\? AND name=\\? AND parent=\\?\\)$)",
);

interface Step {
  readonly detail: string;
}
