import { expect, test } from "@jest/globals";
import { createObjects } from "../../src/store/objects.ts";
import type { StoredObject } from "../../src/store/store.ts";

/** Rows by stream: what a store would answer. */
function storing(rows: { [stream: string]: readonly [version: number, state?: string] }) {
  return {
    load: async (streams: readonly string[]) => streams.map((stream) => rowOf(stream, rows)),
    versions: async (streams: readonly string[]) =>
      streams.map((stream) => rowOf(stream, rows).version),
  };
}

function rowOf(
  stream: string,
  rows: { [stream: string]: readonly [version: number, state?: string] },
): StoredObject {
  const [version, state] = rows[stream] ?? [0];
  const times = { createdMs: 1, changedMs: 2, position: 3n };
  return { stream, version, owner: "o", state, ...times };
}

test("an object is seen as it was loaded last", async () => {
  const rows: Parameters<typeof storing>[0] = { a: [1, '{"name":"A"}'] };
  const objects = createObjects(storing(rows));
  expect(objects.seen("a")).toBeUndefined();
  const [first] = await objects.load(["a"]);
  expect(first).toEqual({ ...rowOf("a", rows), state: { name: "A" } });
  rows.a = [2, '{"name":"B"}'];
  expect(objects.seen("a")).toBe(first);
  const [second] = await objects.load(["a"]);
  expect(second?.state).toEqual({ name: "B" });
  expect(objects.seen("a")).toBe(second);
  // The same version is the same object, which is parsed once.
  expect((await objects.load(["a"]))[0]).toBe(second);
  objects.forget("a");
  expect(objects.seen("a")).toBeUndefined();
});

test("what is not there is never seen, nor what was removed", async () => {
  const rows: Parameters<typeof storing>[0] = { gone: [3], was: [1, "1"] };
  const objects = createObjects(storing(rows));
  const loaded = await objects.load(["none", "gone", "was"]);
  expect(loaded.map(({ version, state }) => [version, state])).toEqual([
    [0, undefined],
    [3, undefined],
    [1, 1],
  ]);
  rows.was = [2];
  await objects.load(["was"]);
  expect(["none", "gone", "was"].map(objects.seen)).toEqual([undefined, undefined, undefined]);
});

test("a row that arrives late does not replace a later one", async () => {
  const late = Promise.withResolvers<readonly StoredObject[]>();
  const answers = [late.promise, Promise.resolve([rowOf("a", { a: [2, "2"] })])];
  const objects = createObjects({ ...storing({}), load: () => answers.shift()! });
  const first = objects.load(["a"]);
  await objects.load(["a"]);
  late.resolve([rowOf("a", { a: [1, "1"] })]);
  expect((await first)[0]).toMatchObject({ version: 1, state: 1 });
  expect(objects.seen("a")).toMatchObject({ version: 2, state: 2 });
});

test("names and states are kept up to a number of bytes, those that were used last", async () => {
  const text = (bytes: number) => JSON.stringify("é".repeat((bytes - 2) / 2));
  const rows = { a: [1, text(40)], b: [1, text(40)], c: [1, text(20)] } as const;
  const objects = createObjects(storing({ ...rows }), { keptBytes: 103 });
  await objects.load(["a", "b", "c"]);
  const kept = (...streams: string[]) =>
    streams.filter((stream) => objects.seen(stream) !== undefined);
  expect(kept("b", "c", "a")).toEqual(["b", "c", "a"]);

  const more = { ...rows, d: [1, text(2)], e: [1, text(102)], f: [1, text(104)] } as const;
  const others = createObjects(storing({ ...more }), { keptBytes: 103 });
  await others.load(["a", "b", "c"]);
  others.seen("a");
  await others.load(["d"]);
  const still = ["a", "b", "c", "d"].filter((stream) => others.seen(stream) !== undefined);
  expect(still).toEqual(["a", "c", "d"]);
  // What does not fit at all costs nothing else its place.
  await others.load(["f"]);
  expect(others.seen("f")).toBeUndefined();
  expect(others.seen("a")).toBeDefined();
  await others.load(["e"]);
  const last = ["a", "c", "d", "e"].filter((stream) => others.seen(stream) !== undefined);
  expect(last).toEqual(["e"]);
});

test("what is still as it was seen is not read again; what was changed or removed is", async () => {
  const rows: Parameters<typeof storing>[0] = { a: [1, '"A"'], b: [1, '"B"'] };
  const store = storing(rows);
  const read: (readonly string[])[] = [];
  const objects = createObjects({
    ...store,
    load: (streams) => {
      read.push(streams);
      return store.load(streams);
    },
  });
  const states = async () => (await objects.current(["a", "b"])).map(({ state }) => state);
  expect(await states()).toEqual(["A", "B"]);
  expect(await states()).toEqual(["A", "B"]);
  expect(read).toEqual([["a", "b"]]);
  rows.b = [2, '"b"'];
  expect(await states()).toEqual(["A", "b"]);
  rows.a = [2];
  expect(await states()).toEqual([undefined, "b"]);
  expect(read).toHaveLength(3);
  // That it is gone is remembered, too.
  expect(await states()).toEqual([undefined, "b"]);
  expect(read).toHaveLength(3);
  rows.a = [3, '"a"'];
  expect(await states()).toEqual(["a", "b"]);
});

test.each([
  [1_200, 1],
  [1_199, 2],
])(
  "long names of what does not exist: in %i bytes, one of 1,000 is read %i times",
  async (keptBytes, times) => {
    const { load, versions } = storing({});
    const read: (readonly string[])[] = [];
    const loading: typeof load = (streams) => {
      read.push(streams);
      return load(streams);
    };
    const objects = createObjects({ versions, load: loading }, { keptBytes });
    const name = "é".repeat(500);
    for (const _time of [1, 2])
      expect(await objects.current([name])).toMatchObject([{ version: 0 }]);
    expect(read).toHaveLength(times);
  },
);

test("that there is no object is remembered as its name and 200 bytes are", async () => {
  const rows: Parameters<typeof storing>[0] = {};
  const read: string[] = [];
  const store = storing(rows);
  const objects = createObjects(
    {
      ...store,
      load: (streams) => {
        read.push(...streams);
        return store.load(streams);
      },
    },
    { keptBytes: 402 },
  );
  for (const stream of ["a", "b", "a", "b"]) await objects.current([stream]);
  expect(read).toEqual(["a", "b"]);
  for (const stream of ["c", "b", "a"]) await objects.current([stream]);
  expect(read).toEqual(["a", "b", "c", "a"]);
  rows.a = [1, '"A"'];
  expect((await objects.current(["a"]))[0]?.state).toBe("A");
});
