import { expect, it } from "@jest/globals";
import type { Cursor, Filter, ListQuery } from "../../../src/store/query.ts";
import { listLimits } from "../../../src/store/query.ts";
import type { Store } from "../../../src/store/store.ts";
import { appendLimits } from "../../../src/store/store.ts";
import { few, inFull } from "../../harness/in-full.ts";
import {
  append,
  change,
  eventsOf,
  listed,
  record,
  streamsOf,
  thing,
  things,
  timeMs,
} from "../fixture.ts";
import type { Open } from "./place.ts";

/** In which order lists are, how they are paged through and how much a page holds. */
export function sortCases(open: Open): void {
  /** The streams in the order of their names; where letters meet, those with a digit are a tie. */
  const names: readonly (readonly [stream: string, name: string])[] = [
    ["10", "10"],
    ["9", "9"],
    ["a1", "ALPHA"],
    ["a2", "alpha"],
    ["a3", "ａｌｐｈａ"],
    ["alphabet", "Alphabet"],
    ["z", "Zulu"],
    ["o-umlaut", "o\u0308l"],
    ["a-umlaut-2", "äther"],
    ["sigma", "ΣΑΣ"],
    ["private", "\ue000"],
    ["emoji", "😀"],
  ];
  const sorted = ["10", "9", "a1", "a2", "a3", "alphabet", "z", "a-umlaut-2", "o-umlaut"];
  sorted.push("sigma", "private", "emoji");
  const created = ["z", "a1", "emoji", "9", "a2", "private", "sigma", "10", "a-umlaut-2", "a3"];
  created.push("alphabet", "o-umlaut");

  /** Makes the things under two parents in turn, with a second text that is the same for all. */
  async function fill(store: Store): Promise<void> {
    const texts = new Map(names);
    const made = created.map((stream, i) =>
      thing(stream, { name: texts.get(stream)!, same: "x" }, `parent-${i % 2}`),
    );
    for (const each of made.map((one) => store.append(append([one])))) eventsOf(await each);
  }

  const both = ["parent-0", "parent-1"];
  const isEven = (stream: string) => created.indexOf(stream) % 2 === 0;
  const orders: readonly (readonly [string, Partial<ListQuery>, readonly string[]])[] = [
    ["creation", { parents: both }, created],
    ["creation, under one parent", { parents: ["parent-0"] }, created.filter(isEven)],
    ["a text", { sortBy: "name" }, sorted],
    ["a text, under one parent", { sortBy: "name", parents: ["parent-0"] }, sorted.filter(isEven)],
    ["a text, under several", { sortBy: "name", parents: both }, sorted],
    ["a text that is the same", { sortBy: "same", parents: both }, created],
  ];

  few(3).each(orders)("lists in the order of %s, both ways", async (_, query, expected) => {
    const store = await open();
    await fill(store);
    expect(await streamsOf(store, query)).toEqual(expected);
    expect(await streamsOf(store, { ...query, descending: false })).toEqual(expected);
    expect(await streamsOf(store, { ...query, descending: true })).toEqual(expected.toReversed());
  });

  few(2).each(orders)("pages through to the end by %s, both ways", async (_, query, expected) => {
    const store = await open();
    await fill(store);
    for (const descending of [false, true]) {
      const seen: string[] = [];
      for (let offset = 0; offset < created.length + 5; offset += 5) {
        const page = { kind: "thing", ...query, descending, offset, limit: 5 };
        const { total, objects } = await listed(store, page);
        expect(total).toBe(expected.length);
        expect(objects.length).toBe(Math.max(0, Math.min(5, expected.length - offset)));
        seen.push(...objects.map(({ stream }) => stream));
      }
      expect(seen).toEqual(descending ? expected.toReversed() : expected);
    }
  });

  it("sorts by a text as it was changed", async () => {
    const store = await open();
    const made = ["b", "c", "d"].map((name) => thing(`thing-${name}`, { name }));
    await store.append(append(made));
    const row = { kind: "thing", parent: "", fields: { name: "a" } };
    await store.append(append([change("thing-d", 1, { row })]));
    const expected = ["thing-d", "thing-b", "thing-c"];
    expect(await streamsOf(store, { sortBy: "name" })).toEqual(expected);
    expect(await streamsOf(store, { sortBy: "name", parents: [""] })).toEqual(expected);
  });

  const none = { kind: "streams", streams: [] } as const;
  const everything = { where: { kind: "not", filter: none } } as const;

  // A letter of two bytes shows whether bytes or characters are counted.
  few(2).each(orders)("pages from place to place by %s, both ways", async (_, query, expected) => {
    const store = await open();
    await fill(store);
    for (const descending of [false, true]) {
      for (const [limit, where] of [[1, everything], [5], [expected.length]] as const) {
        const seen: string[] = [];
        const asked = { kind: "thing", ...query, ...where, descending, offset: 0, limit };
        for (let after: Cursor | undefined, pages = 1; ; pages += 1) {
          const { total, objects, end } = await listed(store, {
            ...asked,
            ...(after && { after }),
          });
          expect(total).toBe(expected.length);
          seen.push(...objects.map(({ stream }) => stream));
          after = end;
          if (after === undefined) break;
          expect(seen.length).toBeLessThan(expected.length);
          expect([seen.length, objects.length]).toEqual([pages * limit, limit]);
        }
        expect(seen).toEqual(descending ? expected.toReversed() : expected);
      }
    }
  });

  it.each([{}, { sortBy: "name" }])("skips nothing where others go meanwhile: %j", async (way) => {
    const store = await open();
    for (const name of ["a", "b", "c", "d"]) {
      eventsOf(await record(store, `thing-${name}`, [["added", { name }]]));
    }
    const query = { kind: "thing", ...way, offset: 0, limit: 2 };
    const { end } = await listed(store, query);
    eventsOf(await record(store, "thing-a", [["removed", {}]]));
    eventsOf(await record(store, "thing-b", [["removed", {}]]));
    const rest = await listed(store, { ...query, after: end! });
    expect(rest.objects.map(({ stream }) => stream)).toEqual(["thing-c", "thing-d"]);
    expect([rest.total, rest.end]).toEqual([2, undefined]);
    const skipped = await listed(store, { ...query, after: end!, offset: 1, limit: 9 });
    expect(skipped.objects.map(({ stream }) => stream)).toEqual(["thing-d"]);
    const where: Filter = { kind: "one-of", field: "name", values: ["a", "d"] };
    const matching = await listed(store, { ...query, after: end!, where });
    expect(matching.objects.map(({ stream }) => stream)).toEqual(["thing-d"]);
    expect(matching.total).toBe(1);
  });

  it("ends a page at the bytes that are asked for, and goes on behind it", async () => {
    const store = await open();
    for (const stream of ["thing-1", "thing-2", "thing-3"]) {
      eventsOf(await store.append(append([change(stream, 0, { state: stateOf(100) })])));
    }
    const query = { kind: "thing", offset: 0, limit: 3 };
    const short = await listed(store, { ...query, stateBytes: 299 });
    expect([short.objects.length, short.isCut, short.total]).toEqual([2, true, 3]);
    const rest = await listed(store, { ...query, after: short.end! });
    expect(rest.objects.map(({ stream }) => stream)).toEqual(["thing-3"]);
    const whole = await listed(store, { ...query, stateBytes: 300 });
    expect([whole.objects.length, whole.isCut, whole.end]).toEqual([3, false, undefined]);
  });

  const stateOf = (bytes: number) => `"${"ä".repeat(bytes / 2 - 1)}"`;

  inFull("fills a page to the limit of its bytes, and not with one object more", async () => {
    const store = await open();
    const count = listLimits.stateBytes / appendLimits.textBytes;
    const state = stateOf(appendLimits.textBytes);
    for (let i = 0; i <= count; i += 1) {
      const made = change(`thing-${i}`, 0, i < count ? { state } : { state: "{}" });
      eventsOf(await store.append(append([made])));
    }
    const page = async (offset: number, limit: number) => {
      const { total, objects, isCut } = await listed(store, { kind: "thing", offset, limit });
      return [total, isCut, objects.length];
    };
    const total = count + 1;
    expect(await page(0, count)).toEqual([total, false, count]);
    expect(await page(0, count + 1)).toEqual([total, true, count]);
    expect(await page(1, count + 1)).toEqual([total, false, count]);
    expect(await page(count, 1)).toEqual([total, false, 1]);
  });

  inFull("lists an object alone that is past the limit by itself", async () => {
    const store = await open(things(1));
    for (const stream of ["thing-1", "thing-2", "thing-3"]) {
      eventsOf(await record(store, stream, [["added", { name: stream }]]));
    }
    await store.close();
    const project = things().project;
    const large = await open({
      revision: 2,
      project: (events) =>
        events[0]?.stream === "thing-2"
          ? { ...project(events), state: stateOf(listLimits.stateBytes + 2) }
          : project(events),
    });
    const page = async (offset: number) => {
      const { objects, isCut } = await listed(large, { kind: "thing", offset, limit: 3 });
      return [isCut, ...objects.map(({ stream }) => stream)];
    };
    expect(await page(0)).toEqual([true, "thing-1"]);
    expect(await page(1)).toEqual([true, "thing-2"]);
    expect(await page(2)).toEqual([false, "thing-3"]);
  });

  it("says where the log ends", async () => {
    const store = await open();
    const heads = async () => {
      const { head } = await listed(store, { kind: "other", offset: 0, limit: 1 });
      return [head, await store.head()];
    };
    const nothing = { position: 0n, timeMs: 0 };
    expect(await heads()).toEqual([nothing, nothing]);
    await store.append(append([change("thing-1", 0), change("thing-2", 0)]));
    await store.append(append([change("thing-1", 1)], { timeMs: timeMs - 1 }));
    const head = { position: 3n, timeMs: timeMs - 1 };
    expect(await heads()).toEqual([head, head]);
    expect(await (await open()).head()).toEqual(head);
  });

  it("answers objects, their number and the end of the log as of one moment", async () => {
    const [writer, reader] = [await open(), await open()];
    let writing = true;
    const write = async () => {
      for (let i = 0; i < 50; i += 1) {
        eventsOf(await writer.append(append([thing(`thing-${i}`, { name: "x" })])));
      }
    };
    const written = write().finally(() => {
      writing = false;
    });
    const look = async () => {
      while (writing) {
        const query = { kind: "thing", sortBy: "name", offset: 0, limit: 100 };
        const { total, objects, head } = await listed(reader, query);
        expect([objects.length, Number(head.position)]).toEqual([total, total]);
        await new Promise(setImmediate);
      }
    };
    await Promise.all([look(), written]);
    expect(await streamsOf(reader)).toHaveLength(50);
  });
}
