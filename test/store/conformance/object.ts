import { expect, it } from "@jest/globals";
import type { ListQuery } from "../../../src/store/query.ts";
import type { Store } from "../../../src/store/store.ts";
import { append, change, eventsOf, listed, streamsOf, timeMs } from "../fixture.ts";
import type { Open } from "./place.ts";

/** What `load` and `list` say about the objects that appends leave. */
export function objectCases(open: Open): void {
  it("loads an object as its last append left it", async () => {
    const store = await open();
    await store.append(append([change("thing-0", 0), change("thing-1", 0)]));
    const later = { timeMs: timeMs + 1, actor: "user-2" };
    const state = '{"b":1,"a":"2"}';
    await store.append(append([change("thing-1", 1, { state })], later));
    expect(await store.load(["thing-1"])).toEqual([
      {
        stream: "thing-1",
        version: 2,
        owner: "org-1",
        state,
        createdMs: timeMs,
        changedMs: timeMs + 1,
        position: 3n,
      },
    ]);
  });

  it("loads version 0 and no state where there is no stream", async () => {
    const store = await open();
    const times = { createdMs: 0, changedMs: 0 };
    expect(await store.load(["thing-1"])).toEqual([
      { stream: "thing-1", version: 0, owner: "", state: undefined, ...times, position: 0n },
    ]);
  });

  it("says which versions streams have, also those that were removed or never were", async () => {
    const store = await open();
    await store.append(append([change("thing-1", 0), change("thing-2", 0)]));
    await store.append(append([change("thing-2", 1, { state: undefined, row: undefined })]));
    expect(await store.versions(["thing-2", "thing-9", "thing-1", "thing-2"])).toEqual([
      ...[2, 0, 1, 2],
    ]);
    expect(await store.versions([])).toEqual([]);
  });

  it("says which versions streams have after each append, of whichever store", async () => {
    const [store, other] = [await open(), await open()];
    for (let version = 0; version < 4; version += 1) {
      for (const one of [store, other]) {
        expect(await one.versions(["thing-1", "thing-9"])).toEqual([version, 0]);
      }
      const by = version % 2 === 0 ? store : other;
      eventsOf(await by.append(append([change("thing-1", version)])));
      expect(await by.versions(["thing-1"])).toEqual([version + 1]);
    }
  });

  it("loads streams in the order asked for", async () => {
    const store = await open();
    await store.append(append([change("thing-1", 0), change("thing-2", 0)]));
    const asked = ["thing-2", "thing-9", "thing-1", "thing-2"];
    expect((await store.load(asked)).map(({ stream }) => stream)).toEqual(asked);
    expect(await store.load([])).toEqual([]);
  });

  it("lists the objects of one kind, oldest first, whatever was changed since", async () => {
    const store = await open();
    await fill(store);
    await store.append(append([change("c", 1, { row: row("app", "project-1") })]));
    expect(await streamsOf(store, { kind: "app" })).toEqual(["c", "a", "d", "e"]);
    expect(await streamsOf(store, { kind: "project" })).toEqual(["b"]);
    expect(await streamsOf(store, { kind: "user" })).toEqual([]);
    expect(await streamsOf(store, { kind: "App" })).toEqual([]);
  });

  it.each<[Partial<ListQuery>, string[]]>([
    [{ parents: ["project-1"] }, ["c", "d"]],
    [{ parents: ["project-2"] }, ["a"]],
    [{ parents: ["Project-1"] }, []],
    [{ parents: [""] }, ["e"]],
    [{ parents: ["project-2", "project-1"] }, ["c", "a", "d"]],
    [{ parents: ["project-2", "project-2", "project-9"] }, ["a"]],
    [{ parents: [] }, []],
    [{ kind: "project", parents: ["project-1"] }, []],
  ])("lists by %j", async (filter, expected) => {
    const store = await open();
    await fill(store);
    const where = { kind: "not", filter: { kind: "streams", streams: ["z"] } } as const;
    for (const more of [{}, { sortBy: "name" }, { where }]) {
      const query = { kind: "app", ...filter, ...more };
      expect(await streamsOf(store, query)).toEqual(expected);
      expect(await streamsOf(store, { ...query, descending: true })).toEqual(expected.toReversed());
    }
  });

  it("answers one page with the number of all that match", async () => {
    const store = await open();
    await fill(store);
    const streams = async (offset: number, limit: number) => {
      const { total, objects, isCut } = await listed(store, { kind: "app", offset, limit });
      return [total, isCut, ...objects.map(({ stream }) => stream)];
    };
    expect(await streams(0, 2)).toEqual([4, false, "c", "a"]);
    expect(await streams(2, 2)).toEqual([4, false, "d", "e"]);
    expect(await streams(3, 2)).toEqual([4, false, "e"]);
    expect(await streams(4, 2)).toEqual([4, false]);
    expect(await streams(1, 0)).toEqual([4, false]);
  });

  it("lists the same objects that it loads", async () => {
    const store = await open();
    await fill(store);
    const { objects } = await listed(store, { kind: "app", offset: 0, limit: 10 });
    expect(objects).toEqual(await store.load(["c", "a", "d", "e"]));
  });

  it("lists no removed object, and a restored one at its old place", async () => {
    const store = await open();
    await fill(store);
    await store.append(append([change("a", 1, { state: undefined, row: undefined })]));
    for (const sort of [{}, { sortBy: "name" }]) {
      expect(await streamsOf(store, { kind: "app", ...sort })).toEqual(["c", "d", "e"]);
      expect(await streamsOf(store, { kind: "app", parents: ["project-2"], ...sort })).toEqual([]);
    }
    await store.append(append([change("a", 2, { row: row("app", "project-2") })]));
    for (const sort of [{}, { sortBy: "name" }]) {
      expect(await streamsOf(store, { kind: "app", ...sort })).toEqual(["c", "a", "d", "e"]);
      expect(await streamsOf(store, { kind: "app", parents: ["project-2"], ...sort })).toEqual([
        "a",
      ]);
    }
  });

  it("lists an object where its last row says that it is", async () => {
    const store = await open();
    await fill(store);
    await store.append(append([change("a", 1, { row: row("app", "project-1") })]));
    await store.append(append([change("e", 1, { row: row("project", "") })]));
    for (const sort of [{}, { sortBy: "name" }]) {
      const listed = (kind: string, parent: string) =>
        streamsOf(store, { kind, parents: [parent], ...sort });
      expect(await listed("app", "project-1")).toEqual(["c", "a", "d"]);
      expect(await listed("app", "project-2")).toEqual([]);
      expect(await listed("app", "")).toEqual([]);
      expect(await listed("project", "")).toEqual(["b", "e"]);
    }
  });
}

function row(kind: string, parent: string) {
  return { kind, parent, fields: { name: "x", type: "y" } };
}

/** Makes c, b, a, d, e in this order; b is a project, the others are apps. */
async function fill(store: Store): Promise<void> {
  const made = [
    change("c", 0, { row: row("app", "project-1") }),
    change("b", 0, { row: row("project", "") }),
    change("a", 0, { row: row("app", "project-2") }),
    change("d", 0, { owner: "org-2", row: row("app", "project-1") }),
    change("e", 0, { row: row("app", "") }),
  ];
  for (const each of made.map((one) => store.append(append([one])))) eventsOf(await each);
}
