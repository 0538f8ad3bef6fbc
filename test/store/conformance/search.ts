import { expect, it } from "@jest/globals";
import type { EventQuery } from "../../../src/store/query.ts";
import { searchLimits } from "../../../src/store/query.ts";
import type { Store } from "../../../src/store/store.ts";
import { appendLimits } from "../../../src/store/store.ts";
import { few, inFull } from "../../harness/in-full.ts";
import { append, change, eventsOf } from "../fixture.ts";
import type { Open } from "./place.ts";

type Condition = Omit<EventQuery, "after" | "limit">;

/** What `search` finds, in which order, and how far one call of it goes. */
export function searchCases(open: Open): void {
  /** Ten events, each of a stream of its own but for those of app-1 and user-1. */
  const log: readonly (readonly [string, number, string, string, string, number])[] = [
    ["app-1", 0, "app.added", "org-1", "user-1", 100],
    ["user-1", 0, "user.added", "org-1", "user-1", 200],
    ["user-2", 0, "user.added", "org-2", "user-1", 300],
    ["app-1", 1, "app.renamed", "org-1", "user-2", 300],
    ["apple-1", 0, "app.added", "org-1", "user-2", 250],
    ["app", 0, "app.added", "org-2", "user-2", 400],
    ["user-1", 1, "user.renamed", "org-1", "", 500],
    ["app-user-1", 0, "user.added", "org-2", "user-1", 500],
    ["APP-1", 0, "app.added", "org-1", "user-1", 600],
    ["app-1", 2, "app.renamed", "org-1", "user-1", 700],
  ];

  async function fill(store: Store): Promise<void> {
    const made = log.map(([stream, version, type, owner, actor, timeMs]) => {
      const events = [{ type, payload: "{}" }];
      return store.append(append([change(stream, version, { owner, events })], { actor, timeMs }));
    });
    for (const each of made) eventsOf(await each);
  }

  /** Goes on to the end and answers the positions that it finds on the way. */
  async function findAll(store: Store, query: EventQuery): Promise<readonly number[]> {
    const found: number[] = [];
    let from: Pick<EventQuery, "after" | "before"> = query;
    for (;;) {
      const { events, through, isEnd } = await store.search({ ...query, ...from });
      expect(events.length).toBeLessThanOrEqual(query.limit);
      found.push(...events.map(({ position }) => Number(position)));
      if (isEnd) return found;
      // It has come further, or the search would not end.
      expect(through).not.toBe(query.descending ? from.before : from.after);
      from = query.descending ? { after: query.after, before: through } : { after: through };
    }
  }

  const conditions: readonly (readonly [what: string, Condition, number[]])[] = [
    ["nothing", {}, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    ["a stream", { streams: ["app-1"] }, [1, 4, 10]],
    ["streams", { streams: ["user-1", "none", "app-1"] }, [1, 2, 4, 7, 10]],
    ["a stream in another case", { streams: ["App-1"] }, []],
    ["no streams", { streams: [] }, []],
    ["a kind", { kinds: ["app"] }, [1, 4, 8, 10]],
    ["kinds", { kinds: ["apple", "user", "none"] }, [2, 3, 5, 7]],
    ["a kind with a hyphen", { kinds: ["app-user"] }, []],
    ["a part of a kind", { kinds: ["us", ""] }, []],
    ["no kinds", { kinds: [] }, []],
    ["a type", { types: ["app.renamed"] }, [4, 10]],
    ["types", { types: ["app.renamed", "user.renamed", "none"] }, [4, 7, 10]],
    ["a part of a type", { types: ["app"] }, []],
    ["no types", { types: [] }, []],
    ["an owner", { owner: "org-2" }, [3, 6, 8]],
    ["an owner that there is not", { owner: "" }, []],
    ["an actor", { actor: "user-2" }, [4, 5, 6]],
    ["an actor without a name", { actor: "" }, [7]],
    ["a time", { fromMs: 300, untilMs: 300 }, [3, 4]],
    ["a time from", { fromMs: 401 }, [7, 8, 9, 10]],
    ["a time until", { untilMs: 299 }, [1, 2, 5]],
    ["no time", { fromMs: 300, untilMs: 299 }, []],
    ["a position before", { before: 3n }, [1, 2]],
    ["a stream before a position", { streams: ["app-1"], before: 10n }, [1, 4]],
    ["a stream and a type", { streams: ["app-1", "user-1"], types: ["app.added"] }, [1]],
    ["a stream and a kind", { streams: ["app-1", "user-1"], kinds: ["user"] }, [2, 7]],
    ["a kind and an actor", { kinds: ["app"], actor: "user-1" }, [1, 8, 10]],
    [
      "everything",
      {
        streams: ["app-1", "apple-1"],
        kinds: ["app"],
        types: ["app.renamed"],
        owner: "org-1",
        actor: "user-1",
        fromMs: 300,
        untilMs: 700,
        before: 11n,
      },
      [10],
    ],
  ];

  few().each([1, 2, 3, 100])("finds what matches, both ways, in pages of %d", async (limit) => {
    const store = await open();
    await fill(store);
    for (const [what, condition, positions] of conditions) {
      for (const after of [0n, 1n, 4n, 9n, 10n, 99n]) {
        const query = { ...condition, after, limit };
        const above = positions.filter((position) => position > after);
        expect([what, await findAll(store, query)]).toEqual([what, above]);
        const backwards = await findAll(store, { ...query, descending: true });
        expect([what, backwards]).toEqual([what, above.toReversed()]);
      }
    }
  });

  it("finds the events that the log holds", async () => {
    const store = await open();
    await fill(store);
    const { events } = await store.search({ after: 0n, limit: 100 });
    expect(events).toMatchObject(await store.readAll(0n, 100));
    expect(events).toHaveLength(log.length);
  });

  it("finds each with its link, which no other has", async () => {
    const store = await open();
    await fill(store);
    const { events } = await store.search({ after: 0n, limit: 100, types: ["app.renamed"] });
    for (const { position, link } of events) expect(link).toEqual(await store.linkAt(position));
    const links = events.map(({ link }) => Buffer.from(link).toString("hex"));
    expect(links.map((link) => link.length)).toEqual([64, 64]);
    expect(new Set(links).size).toBe(2);
    const { position: end } = await store.head();
    expect(await store.linkAt(end + 1n)).toBeUndefined();
  });

  it("says how far it has come when it found as many as it was to", async () => {
    const store = await open();
    await fill(store);
    const look = async (rest: Partial<EventQuery>) => {
      const page = await store.search({ after: 0n, types: ["app.renamed"], limit: 1, ...rest });
      return [page.events.length, page.through, page.isEnd];
    };
    expect(await look({})).toEqual([1, 4n, false]);
    expect(await look({ limit: 2 })).toEqual([2, 10n, true]);
    expect(await look({ after: 4n })).toEqual([1, 10n, true]);
    expect(await look({ descending: true })).toEqual([1, 10n, false]);
    expect(await look({ descending: true, before: 10n })).toEqual([1, 1n, true]);
    expect(await look({ descending: true, before: 10n, after: 2n })).toEqual([1, 3n, true]);
    expect(await look({ streams: ["app-1"] })).toEqual([1, 4n, false]);
    expect(await look({ streams: ["app-1"], limit: 2 })).toEqual([2, 10n, true]);
    expect(await look({ limit: 0 })).toEqual([0, 0n, false]);
    expect(await look({ limit: 0, after: 2n })).toEqual([0, 2n, false]);
    expect(await look({ limit: 0, descending: true })).toEqual([0, 11n, false]);
    expect(await look({ limit: 0, descending: true, before: 7n })).toEqual([0, 7n, false]);
  });

  it.each<[string, Condition]>([
    ["everything", {}],
    ["a stream", { streams: ["app-1"] }],
    ["what is not there", { types: ["none"] }],
  ])("lets a reader of %s go on from the end when there is more", async (_, condition) => {
    const store = await open();
    expect(await store.search({ ...condition, after: 0n, limit: 9 })).toEqual({
      events: [],
      through: 0n,
      isEnd: true,
    });
    await fill(store);
    const end = await store.search({ ...condition, after: 0n, limit: 100 });
    expect([end.through, end.isEnd]).toEqual([10n, true]);
    await store.append(append([change("app-1", 3)]));
    const next = await store.search({ after: end.through, limit: 9 });
    expect(next).toMatchObject({ events: [{ position: 11n }], through: 11n, isEnd: true });
    // Who is ahead of the log stays where he is.
    const ahead = await store.search({ ...condition, after: 99n, limit: 9 });
    expect(ahead).toEqual({ events: [], through: 99n, isEnd: true });
  });

  inFull(
    "looks at so many positions at a time, of one long stream too, and not at one more",
    async () => {
      const store = await open();
      const most = searchLimits.positions;
      const total = most + 3;
      const events = (count: number, type: string) => Array(count).fill({ type, payload: "{}" });
      let made = 0;
      // The first and the last are of streams of their own and found by it.
      eventsOf(await store.append(append([change("edge-1", 0)])));
      for (made = 1; made < total - 1; ) {
        const count = Math.min(appendLimits.events, total - 1 - made);
        const filling = change("filling-1", made - 1, { events: events(count, "filled") });
        eventsOf(await store.append(append([filling])));
        made += count;
      }
      eventsOf(await store.append(append([change("edge-2", 0)])));

      const look = async (rest: Partial<EventQuery>) => {
        const query = { after: 0n, limit: 10, types: ["thing.added"], ...rest };
        const page = await store.search(query);
        const found = page.events.map(({ position }) => Number(position));
        return [found, Number(page.through), page.isEnd];
      };
      const at = (position: number) => BigInt(position);
      expect(await look({})).toEqual([[1], most, false]);
      expect(await look({ after: at(most) })).toEqual([[total], total, true]);
      expect(await look({ after: 3n })).toEqual([[total], total, true]);
      expect(await look({ after: 2n })).toEqual([[], most + 2, false]);
      expect(await look({ before: at(most + 1) })).toEqual([[1], most, true]);
      expect(await look({ before: at(most + 2) })).toEqual([[1], most, false]);
      const descending = true;
      expect(await look({ descending })).toEqual([[total], 4, false]);
      expect(await look({ descending, before: 4n })).toEqual([[1], 1, true]);
      expect(await look({ descending, after: 3n })).toEqual([[total], 4, true]);
      expect(await look({ descending, after: 2n })).toEqual([[total], 4, false]);
      expect(await look({ descending, before: at(most + 1) })).toEqual([[1], 1, true]);
      expect(await look({ descending, before: at(most + 2) })).toEqual([[], 2, false]);
      const streams = ["edge-1", "edge-2"];
      expect(await look({ streams })).toEqual([[1, total], total, true]);
      expect(await look({ streams, descending })).toEqual([[total, 1], 1, true]);
      const all = { after: 0n, limit: 10, types: ["thing.added"] };
      expect(await findAll(store, all)).toEqual([1, total]);
      expect(await findAll(store, { ...all, descending })).toEqual([total, 1]);

      // One event more of the filling, and what is looked for at both of its ends.
      const ends = [
        change("filling-1", made - 1, { events: events(1, "filled") }),
        change("edge-2", 1),
      ];
      eventsOf(await store.append(append(ends)));
      const last = total + 2;
      const one = { streams: ["filling-1"] };
      expect(await look(one)).toEqual([[], most + 1, false]);
      expect(await look({ ...one, after: 2n })).toEqual([[], most + 2, false]);
      expect(await look({ ...one, after: 3n })).toEqual([[], last, true]);
      expect(await look({ ...one, descending })).toEqual([[], 4, false]);
      expect(await look({ ...one, descending, before: at(last - 1) })).toEqual([[], 3, false]);
      expect(await look({ ...one, descending, before: at(most + 2) })).toEqual([[], 1, true]);
      // Short streams are looked through, and what they leave is left to the long one.
      const three = { streams: ["edge-1", "filling-1", "edge-2", "none"] };
      expect(await look(three)).toEqual([[1], most - 2, false]);
      expect(await look({ ...three, descending })).toEqual([[last, total], 7, false]);
      expect(await findAll(store, { ...all, ...three })).toEqual([1, total, last]);
      expect(await findAll(store, { ...all, ...three, descending })).toEqual([last, total, 1]);
      // Of two long ones, the page ends where the first of them is not looked at any further.
      const half = most / 2;
      for (let done = 0; done <= half; ) {
        const count = Math.min(appendLimits.events, half + 1 - done);
        const filling = change("filling-2", done, { events: events(count, "filled") });
        eventsOf(await store.append(append([filling])));
        done += count;
      }
      const two = { streams: ["filling-2", "filling-1"] };
      expect(await look(two)).toEqual([[], half + 1, false]);
      expect(await look({ ...two, descending })).toEqual([[], last + 2, false]);
    },
  );

  inFull("holds payloads to the limit of their bytes, and not one event more", async () => {
    const store = await open();
    // A letter of two bytes shows whether bytes or characters are counted.
    const payload = (bytes: number) => `"${"ä".repeat(bytes / 2 - 1)}"`;
    const half = searchLimits.payloadBytes / 2;
    const sizes = [half, half, 2, searchLimits.payloadBytes, 2];
    for (const [version, bytes] of sizes.entries()) {
      const events = [{ type: "thing.added", payload: payload(bytes) }];
      eventsOf(await store.append(append([change("thing-1", version, { events })])));
    }
    const look = async (rest: Partial<EventQuery>) => {
      const page = await store.search({ after: 0n, limit: 10, ...rest });
      const found = page.events.map(({ position }) => Number(position));
      return [found, Number(page.through), page.isEnd];
    };
    for (const more of [{}, { streams: ["thing-1"] }]) {
      expect(await look(more)).toEqual([[1, 2], 2, false]);
      expect(await look({ ...more, after: 2n })).toEqual([[3], 3, false]);
      expect(await look({ ...more, after: 3n })).toEqual([[4], 4, false]);
      expect(await look({ ...more, after: 3n, before: 5n })).toEqual([[4], 4, true]);
      expect(await look({ ...more, after: 4n })).toEqual([[5], 5, true]);
      expect(await look({ ...more, descending: true })).toEqual([[5], 5, false]);
      expect(await look({ ...more, descending: true, before: 4n })).toEqual([[3, 2], 2, false]);
      // One who wants less gets less, and one who wants more does not get it.
      expect(await look({ ...more, payloadBytes: 0 })).toEqual([[1], 1, false]);
      expect(await look({ ...more, after: 1n, payloadBytes: half + 1 })).toEqual([[2], 2, false]);
      expect(await look({ ...more, after: 1n, payloadBytes: half + 2 })).toEqual([
        [2, 3],
        3,
        false,
      ]);
      const wanted = 2 * searchLimits.payloadBytes;
      expect(await look({ ...more, after: 2n, payloadBytes: wanted })).toEqual([[3], 3, false]);
    }
  });
}
