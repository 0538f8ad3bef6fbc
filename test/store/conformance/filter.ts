import { expect, it } from "@jest/globals";
import type { Filter, ListQuery } from "../../../src/store/query.ts";
import type { Store } from "../../../src/store/store.ts";
import { foldText } from "../../../src/text/fold.ts";
import { few, inFull } from "../../harness/in-full.ts";
import { append, change, eventsOf, listed, streamsOf, thing } from "../fixture.ts";
import type { Open } from "./place.ts";

type Text = Extract<Filter, { readonly kind: "text" }>;
type Method = Text["method"];

const text = (method: Method, value: string, ignoreCase = true, field = "name"): Text => ({
  kind: "text",
  field,
  method,
  ignoreCase,
  value,
});
const streams = (...names: string[]): Filter => ({ kind: "streams", streams: names });
const oneOf = (...values: string[]): Filter => ({ kind: "one-of", field: "name", values });
const and = (...filters: Filter[]): Filter => ({ kind: "and", filters });
const or = (...filters: Filter[]): Filter => ({ kind: "or", filters });
const not = (filter: Filter): Filter => ({ kind: "not", filter });

/** Each way to list the same, as far as filters are concerned. */
export const ways: readonly Partial<ListQuery>[] = [
  {},
  { parents: ["p-1"] },
  { parents: ["p-1", "p-2"] },
  { parents: ["p-1"], sortBy: "nick" },
  { sortBy: "nick" },
];

/** Which objects a filter lets through. */
export function filterCases(open: Open): void {
  /** Makes things named by what they are called, under one parent. */
  async function fill(store: Store, names: readonly string[]): Promise<void> {
    const made = names.map((name) => thing(`thing-${name}`, { name, nick: "same" }, "p-1"));
    eventsOf(await store.append(append(made)));
  }

  async function namesOf(store: Store, where: Filter, way = {}): Promise<readonly string[]> {
    const found = await streamsOf(store, { where, ...way });
    return found.map((stream) => stream.slice("thing-".length));
  }

  few(2).each([8, 9, 40])("lets through what all of %d conditions hold for", async (count) => {
    const store = await open();
    await fill(store, ["one", "two"]);
    const conditions = Array.from({ length: count }, () => text("contains", "o"));
    expect(await namesOf(store, and(...conditions))).toEqual(["one", "two"]);
    expect(await namesOf(store, and(...conditions.slice(1), text("equals", "one")))).toEqual([
      "one",
    ]);
  });

  /** Which names are found when case does not count, and which when it does. */
  const comparisons: readonly (readonly [Method, string, string[], string[]])[] = [
    ["equals", "öl", ["Öl", "o\u0308l", "öl"], ["öl"]],
    ["equals", "o\u0308l", ["Öl", "o\u0308l", "öl"], ["o\u0308l"]],
    ["equals", "ol", [], []],
    ["starts-with", "Ö", ["Öl", "o\u0308l", "öl"], ["Öl"]],
    ["starts-with", "ol", [], []],
    ["ends-with", "STRASSE", ["STRASSE"], ["STRASSE"]],
    ["ends-with", "straße", ["Straße"], []],
    ["equals", "σίσυφοσ", ["ΣΊΣΥΦΟΣ", "σίσυφος"], []],
    ["ends-with", "ος", ["ΣΊΣΥΦΟΣ", "σίσυφος"], ["σίσυφος"]],
    ["contains", "%", ["100%"], ["100%"]],
    ["starts-with", "100", ["100%", "1000"], ["100%", "1000"]],
    ["contains", "_", ["a_b"], ["a_b"]],
    ["contains", "a?b", [], []],
    ["contains", "*", [], []],
    ["contains", "' \"", ["it's ' \"so\""], ["it's ' \"so\""]],
    ["equals", "ONE\\TWO", ["one\\two"], []],
    ["starts-with", "😀", ["😀 grin"], ["😀 grin"]],
    ["ends-with", "😀", ["Grin 😀"], ["Grin 😀"]],
    ["contains", "GRIN", ["😀 grin", "Grin 😀"], []],
    ["contains", "\ude00", [], []],
    ["equals", "fine", ["ﬁne"], []],
    ["equals", "coop", ["co\u00adop"], []],
    ["starts-with", "\u00ad", texts, ["\u00ad"]],
    ["equals", "", ["", "\u00ad"], [""]],
    ["contains", "", texts, texts],
    ["starts-with", "", texts, texts],
    ["ends-with", "", texts, texts],
  ];

  few(2).each(ways)("compares texts, listing %j", async (way) => {
    const store = await open();
    await fill(store, texts);
    for (const [method, value, folded, exact] of comparisons) {
      const found = async (ignoreCase: boolean) =>
        namesOf(store, text(method, value, ignoreCase), way);
      expect([method, value, await found(true)]).toEqual([method, value, inOrder(folded)]);
      expect([method, value, await found(false)]).toEqual([method, value, inOrder(exact)]);
    }
  });

  const says: { readonly [method in Method]: (one: string, other: string) => boolean } = {
    equals: (one, other) => one === other,
    "starts-with": (one, other) => one.startsWith(other),
    contains: (one, other) => one.includes(other),
    "ends-with": (one, other) => one.endsWith(other),
    above: (one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)) > 0,
  };

  few(2).each(Object.keys(says) as Method[])(
    "finds the very texts for which %s is so",
    async (method) => {
      const store = await open();
      await fill(store, texts);
      const parts = texts.flatMap((each) => {
        const characters = Array.from(each);
        return [each, characters.slice(0, 2).join(""), characters.slice(-2).join("")];
      });
      for (const value of new Set([...parts, ...parts.map((part) => part.toUpperCase())])) {
        const folded = texts.filter((name) => says[method](foldText(name), foldText(value)));
        const exact = folded.filter((name) => says[method](name, value));
        expect([value, await namesOf(store, text(method, value))]).toEqual([value, folded]);
        expect([value, await namesOf(store, text(method, value, false))]).toEqual([value, exact]);
      }
    },
  );

  const conditions: readonly (readonly [what: string, Filter, string[]])[] = [
    ["one of several texts", oneOf("Öl", "1000", "nobody"), ["Öl", "1000"]],
    ["one of one text, exactly", oneOf("öl"), ["öl"]],
    ["one of texts in another case", oneOf("ÖL", "STRASSe"), []],
    ["one of no texts", oneOf(), []],
    ["one of texts with the empty one", oneOf(""), [""]],
    ["one of texts with signs", oneOf("it's ' \"so\"", "one\\two"), ["it's ' \"so\"", "one\\two"]],
    ["streams", streams("thing-öl", "thing-none", "thing-1000"), ["öl", "1000"]],
    ["no streams", streams(), []],
    ["streams in another case", streams("THING-öl"), []],
    ["all of nothing", and(), texts],
    ["one of nothing", or(), []],
    ["not all of nothing", not(and()), []],
    ["not one of nothing", not(or()), texts],
    ["both", and(text("contains", "0"), text("contains", "%")), ["100%"]],
    ["both of which one never holds", and(text("contains", "0"), or()), []],
    ["one or the other", or(oneOf("öl"), streams("thing-Öl")), ["Öl", "öl"]],
    ["one or nothing", or(oneOf("öl"), or()), ["öl"]],
    ["the opposite", not(text("contains", "")), []],
    ["the opposite twice", not(not(oneOf("öl"))), ["öl"]],
    ["the opposite of one of two", and(text("equals", "öl"), not(oneOf("öl"))), ["Öl", "o\u0308l"]],
    [
      "conditions in conditions",
      and(
        or(text("starts-with", "1"), oneOf("öl")),
        not(and(oneOf("1000"), streams("thing-1000"))),
      ),
      ["öl", "100%"],
    ],
    ["the text of another field", text("equals", "same", true, "nick"), texts],
    ["a text of another field", text("equals", "öl", true, "nick"), []],
    ["a text that no object has", text("contains", "", true, "other"), []],
    ["not a text that no object has", not(text("contains", "", true, "other")), texts],
  ];

  few(2).each(ways)("finds what meets conditions, listing %j", async (way) => {
    const store = await open();
    await fill(store, texts);
    for (const [what, where, expected] of conditions) {
      expect([what, await namesOf(store, where, way)]).toEqual([what, inOrder(expected)]);
    }
  });

  inFull("takes as many conditions as a caller may have", async () => {
    const store = await open();
    await fill(store, texts);
    const many = Array.from({ length: 200 }, (_, i) => text("equals", `öl${i || ""}`));
    expect(await namesOf(store, or(...many))).toEqual(inOrder(["Öl", "o\u0308l", "öl"]));
    const manyTexts = Array.from({ length: 40_000 }, (_, i) => `${i}`);
    expect(await namesOf(store, oneOf(...manyTexts))).toEqual(["1000"]);
    expect(await namesOf(store, streams(...manyTexts, "thing-1000"))).toEqual(["1000"]);
  });

  it("finds nothing of another kind or parent", async () => {
    const store = await open();
    const row = { name: "öl", nick: "same" };
    const made = [
      thing("thing-1", row, "p-1"),
      thing("thing-2", row, "p-2"),
      thing("other-1", row, "p-1", "other"),
      thing("other-2", row, "p-2", "other"),
    ];
    await store.append(append(made));
    const all = ["thing-1", "thing-2", "other-1", "other-2"];
    for (const where of [text("equals", "ÖL"), oneOf("öl"), streams(...all), not(or())]) {
      expect(await streamsOf(store, { where })).toEqual(["thing-1", "thing-2"]);
      expect(await streamsOf(store, { where, parents: ["p-2"] })).toEqual(["thing-2"]);
      const kind = "other";
      expect(await streamsOf(store, { where, kind, parents: ["p-2", "p-3"] })).toEqual(["other-2"]);
    }
  });

  it("finds an object by what its last append left, and not by what was", async () => {
    const store = await open();
    const named = (name: string) => ({ name, nick: "same" });
    await store.append(append([thing("thing-1", named("one"), "p-1")]));
    const found = async (...names: string[]) =>
      Promise.all(
        names.flatMap((name) =>
          ["p-1", "p-2"].map(async (parent) => {
            const where = and(text("starts-with", name), text("equals", "same", true, "nick"));
            return (await streamsOf(store, { where, parents: [parent] })).length;
          }),
        ),
      );
    const names = ["one", "two", "three"];
    const steps = [
      { row: { kind: "thing", parent: "p-1", fields: named("two") }, found: [0, 0, 1, 0, 0, 0] },
      { row: { kind: "thing", parent: "p-1", fields: named("TWO") }, found: [0, 0, 1, 0, 0, 0] },
      { row: { kind: "thing", parent: "p-2", fields: named("two") }, found: [0, 0, 0, 1, 0, 0] },
      { row: undefined, state: undefined, found: [0, 0, 0, 0, 0, 0] },
      { row: { kind: "thing", parent: "p-2", fields: named("three") }, found: [0, 0, 0, 0, 0, 1] },
      { row: { kind: "other", parent: "p-2", fields: named("three") }, found: [0, 0, 0, 0, 0, 0] },
      { row: { kind: "thing", parent: "p-1", fields: named("one") }, found: [1, 0, 0, 0, 0, 0] },
    ];
    expect(await found(...names)).toEqual([1, 0, 0, 0, 0, 0]);
    for (const [i, { found: expected, ...rest }] of steps.entries()) {
      eventsOf(await store.append(append([change("thing-1", i + 1, rest)])));
      expect(await found(...names)).toEqual(expected);
    }
  });

  it("finds a text that changed in case alone, exactly as it is now", async () => {
    const store = await open();
    await store.append(append([thing("thing-1", { name: "Name" })]));
    const row = { kind: "thing", parent: "", fields: { name: "NAME" } };
    await store.append(append([change("thing-1", 1, { row })]));
    expect(await streamsOf(store, { where: oneOf("NAME") })).toEqual(["thing-1"]);
    expect(await streamsOf(store, { where: oneOf("Name") })).toEqual([]);
  });

  it("counts what matches, whatever the page", async () => {
    const store = await open();
    await fill(store, texts);
    const query = { kind: "thing", where: text("contains", "ö"), offset: 1, limit: 1 };
    const { total, objects } = await listed(store, query);
    expect([total, objects.map(({ stream }) => stream)]).toEqual([3, ["thing-o\u0308l"]]);
  });
}

/** What things are called, in the order in which they are made. */
const texts = [
  "Öl",
  "o\u0308l",
  "öl",
  "Straße",
  "STRASSE",
  "ΣΊΣΥΦΟΣ",
  "σίσυφος",
  "100%",
  "1000",
  "a_b",
  "axb",
  "it's ' \"so\"",
  "one\\two",
  "😀 grin",
  "Grin 😀",
  "👩‍👩‍👧",
  "ﬁne",
  "co\u00adop",
  "\u00ad",
  "",
  // A prefix that ends with one of these is next to the end of what there is of characters.
  "\u{10ffff}",
  "\u{10ffff}\u{10ffff}b",
  "a\u{10ffff}",
  "a\u{10ffff}b",
  "b",
  "\ud7ff",
  "\ud7ff\u{10ffff}",
  "\ue000",
  "~",
  "\u007f",
];

function inOrder(some: readonly string[]): readonly string[] {
  return texts.filter((each) => some.includes(each));
}
