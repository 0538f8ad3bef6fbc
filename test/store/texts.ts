import { describe, expect, it } from "@jest/globals";
import type { Cursor, ListQuery } from "../../src/store/query.ts";
import type { Change, Store } from "../../src/store/store.ts";
import { append, change, eventsOf, streamsOf, thing } from "./fixture.ts";

/** Each row with the list that it is in: text, tie, first and whether it is listed. */
export const textsText = `SELECT kind, parent, lists.name, text, tie, first,
    CAST(listed AS integer) AS listed
  FROM texts JOIN lists ON number = list ORDER BY kind, parent, lists.name, text, tie`;

/** A store, and the rows that `textsText` answers, with integers as numbers. */
interface Texts {
  open(): Promise<Store>;
  rowsOf(): Promise<readonly unknown[]>;
}

/** Which rows of texts a store has of its objects. */
export function textCases({ open, rowsOf }: Texts): void {
  it("has a row for each text of an object, as it is compared", async () => {
    const store = await open();
    const made = [
      thing("thing-1", { name: "Öl", nick: "" }, "p-1"),
      thing("thing-2", { name: "O\u0308L", nick: "ΣΑΣ" }),
    ];
    await store.append(append(made));
    expect(await rowsOf()).toEqual([
      ["thing", "", "name", "öl", 2, 2, 1],
      ["thing", "", "nick", "σασ", 2, 2, 1],
      ["thing", "p-1", "name", "öl", 1, 1, 1],
      ["thing", "p-1", "nick", "", 1, 1, 1],
    ]);
  });

  it("follows an append to what another of the same turn left", async () => {
    const store = await open();
    const named = (name: string) => ({ row: { kind: "thing", parent: "", fields: { name } } });
    const made = ["a", "b", "c"].map((name, i) =>
      store.append(append([change("thing-1", i, named(name))])),
    );
    for (const each of made) eventsOf(await each);
    expect(await rowsOf()).toEqual([["thing", "", "name", "c", 1, 1, 1]]);
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
      const store = await open();
      for (const [i, rest] of changes.entries()) {
        eventsOf(await store.append(append([change("thing-1", i, rest)])));
      }
      expect(await rowsOf()).toEqual(rows);
      // What an object lists no more is not found, and what it claims is.
      const listed = rows.filter(([, , , , , , isListed]) => isListed === 1);
      expect(await streamsOf(store, { parents: ["p"], sortBy: "name" })).toHaveLength(
        listed.length,
      );
    });

    it("is a page's last, and begins the next, whatever its tie is", async () => {
      const store = await open();
      const made = ["a", "b", "c"].map((name, i) =>
        change(`thing-${i}`, 0, { ...named(name), ...take(name) }),
      );
      eventsOf(await store.append(append(made)));
      const list = { kind: "thing", parents: ["p"], sortBy: "name" };
      await expectPages(store, list, ["thing-0", "thing-1", "thing-2"]);
    });

    it("is followed by the same text under another parent, in whichever page", async () => {
      const store = await open();
      const made = ["p", "q", "r"].map((parent) =>
        change(`thing-${parent}`, 0, {
          row: { kind: "thing", parent, fields: { name: "A" } },
          take: [{ ...claimed, scope: parent, value: "a" }],
        }),
      );
      eventsOf(await store.append(append(made)));
      const list = { kind: "thing", parents: ["p", "q", "r"], sortBy: "name" };
      await expectPages(store, list, ["thing-p", "thing-q", "thing-r"]);
    });
  });
}

/** Pages through a list, one by one and both ways, and no further than its end. */
async function expectPages(
  store: Store,
  list: Pick<ListQuery, "kind" | "parents" | "sortBy">,
  all: readonly string[],
): Promise<void> {
  for (const descending of [false, true]) {
    const seen: string[] = [];
    let after: Cursor | undefined;
    do {
      const query = { ...list, descending, offset: 0, limit: 1, ...(after && { after }) };
      const { objects, end } = await pageOf(store, query);
      seen.push(...objects.map(({ stream }) => stream));
      after = end;
    } while (after !== undefined && seen.length <= all.length);
    expect(seen).toEqual(descending ? all.toReversed() : all);
  }
}

async function pageOf(store: Store, query: ListQuery) {
  const page = await store.list(query);
  if (page === undefined) throw new Error("there was no time for a page");
  return page;
}
