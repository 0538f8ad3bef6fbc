import { expect, it } from "@jest/globals";
import type { ListQuery, Store } from "../../../src/store/store.ts";
import type { Open } from "../conformance.ts";
import { append, change, timeMs } from "../fixture.ts";

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
    expect(await names(store, { kind: "app" })).toEqual(["c", "a", "d", "e"]);
    expect(await names(store, { kind: "project" })).toEqual(["b"]);
    expect(await names(store, { kind: "user" })).toEqual([]);
    expect(await names(store, { kind: "App" })).toEqual([]);
  });

  it.each<[Partial<ListQuery>, string[]]>([
    [{ owner: "org-1" }, ["c", "a", "e"]],
    [{ owner: "org-2" }, ["d"]],
    [{ owner: "" }, []],
    [{ parent: "project-1" }, ["c", "d"]],
    [{ parent: "" }, ["e"]],
    [{ owner: "org-1", parent: "project-1" }, ["c"]],
    [{ owner: "org-2", parent: "project-2" }, []],
  ])("lists by %j", async (filter, expected) => {
    const store = await open();
    await fill(store);
    expect(await names(store, { kind: "app", ...filter })).toEqual(expected);
  });

  it("answers one page with the number of all that match", async () => {
    const store = await open();
    await fill(store);
    const page = (offset: number, limit: number) => store.list({ kind: "app", offset, limit });
    const streams = async (offset: number, limit: number) => {
      const { total, objects } = await page(offset, limit);
      return [total, ...objects.map(({ stream }) => stream)];
    };
    expect(await streams(0, 2)).toEqual([4, "c", "a"]);
    expect(await streams(2, 2)).toEqual([4, "d", "e"]);
    expect(await streams(3, 2)).toEqual([4, "e"]);
    expect(await streams(4, 2)).toEqual([4]);
    expect(await streams(1, 0)).toEqual([4]);
  });

  it("lists the same objects that it loads", async () => {
    const store = await open();
    await fill(store);
    const { objects } = await store.list({ kind: "app", offset: 0, limit: 10 });
    expect(objects).toEqual(await store.load(["c", "a", "d", "e"]));
  });

  it("lists no removed object, and a restored one at its old place", async () => {
    const store = await open();
    await fill(store);
    await store.append(append([change("a", 1, { state: undefined, row: undefined })]));
    expect(await names(store, { kind: "app" })).toEqual(["c", "d", "e"]);
    expect(await names(store, { kind: "app", parent: "project-2" })).toEqual([]);
    await store.append(append([change("a", 2, { row: row("app", "project-2") })]));
    expect(await names(store, { kind: "app" })).toEqual(["c", "a", "d", "e"]);
  });

  it("lists an object where its last row says that it is", async () => {
    const store = await open();
    await fill(store);
    await store.append(append([change("a", 1, { row: row("app", "project-1") })]));
    expect(await names(store, { kind: "app", parent: "project-1" })).toEqual(["c", "a", "d"]);
    expect(await names(store, { kind: "app", parent: "project-2" })).toEqual([]);
  });
}

function row(kind: string, parent: string) {
  return { kind, parent, fields: { name: "x", count: 1, active: true } };
}

/** Makes c, b, a, d, e in this order; b is a project, the others are apps. */
async function fill(store: Store): Promise<void> {
  const owned = { owner: "org-2", row: row("app", "project-1") };
  for (const made of [
    change("c", 0, { row: row("app", "project-1") }),
    change("b", 0, { row: row("project", "") }),
    change("a", 0, { row: row("app", "project-2") }),
    change("d", 0, owned),
    change("e", 0, { row: row("app", "") }),
  ]) {
    await store.append(append([made]));
  }
}

async function names(store: Store, filter: Omit<ListQuery, "offset" | "limit">): Promise<string[]> {
  const { total, objects } = await store.list({ ...filter, offset: 0, limit: 100 });
  expect(total).toBe(objects.length);
  return objects.map(({ stream }) => stream);
}
