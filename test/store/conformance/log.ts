import { expect, it } from "@jest/globals";
import type { RecordedEvent } from "../../../src/event.ts";
import { append, change, expectGapless, readNext } from "../fixture.ts";
import type { Open } from "./place.ts";

/** What `readStream` and `readAll` give back. */
export function logCases(open: Open): void {
  it.each([
    ["the order of members", '{"b":1,"a":2,"10":3,"9":4}'],
    ["white space and numbers as they were written", '{ "a" : 1.0,\n\t"b":1e2, "c":-0 }'],
    ["members that occur twice", '{"a":1,"a":2}'],
    ["escapes as they were written", '"\\u00e9\\/\\u0000\\ud800"'],
    ["letters beyond ASCII", '"é ß 漢 \u2028 e\u0301"'],
    ["characters of four bytes", '"😀👩‍👩‍👧𝒳"'],
    ["a quotation of SQL", '"\'; DROP TABLE events; --"'],
    ["one megabyte", JSON.stringify("ä".repeat(512 * 1024))],
    ["plain values", "null"],
  ])("keeps payload and state byte for byte: %s", async (_, text) => {
    const store = await open();
    const events = [{ type: "thing.added", payload: text }];
    await store.append(append([change("thing-1", 0, { events, state: text })]));
    const other = await open();
    expect((await other.readStream("thing-1", 0, 1))[0]?.payload).toBe(text);
    expect((await other.readAll(0n, 1))[0]?.payload).toBe(text);
    expect((await other.load(["thing-1"]))[0]?.state).toBe(text);
  });

  it.each([0, 1, 999, 1_700_000_000_001, 1_700_000_000_999, 8.64e15])(
    "keeps the time %d to the millisecond",
    async (timeMs) => {
      const store = await open();
      await store.append(append([change("thing-1", 0)], { timeMs }));
      const other = await open();
      expect((await other.readAll(0n, 1))[0]?.timeMs).toBe(timeMs);
      expect((await other.readStream("thing-1", 0, 1))[0]?.timeMs).toBe(timeMs);
      expect(await other.load(["thing-1"])).toMatchObject([
        { createdMs: timeMs, changedMs: timeMs },
      ]);
    },
  );

  it("reads one stream above a version, in order, up to the limit", async () => {
    const store = await open();
    for (const version of [0, 1, 2, 3]) {
      await store.append(append([change("thing-1", version)]));
      await store.append(append([change("thing-2", version)]));
    }
    const versions = async (after: number, limit: number) =>
      (await store.readStream("thing-1", after, limit)).map(({ version }) => version);
    expect(await versions(0, 100)).toEqual([1, 2, 3, 4]);
    expect(await versions(1, 2)).toEqual([2, 3]);
    expect(await versions(3, 2)).toEqual([4]);
    expect(await versions(4, 2)).toEqual([]);
    expect(await versions(0, 0)).toEqual([]);
    expect(await store.readStream("thing-9", 0, 10)).toEqual([]);
  });

  it("reads the log above a position, in order, up to the limit", async () => {
    const store = await open();
    for (const stream of ["c", "a", "b"]) await store.append(append([change(stream, 0)]));
    const streams = async (after: bigint, limit: number) =>
      (await store.readAll(after, limit)).map(({ stream }) => stream);
    expect(await streams(0n, 100)).toEqual(["c", "a", "b"]);
    expect(await streams(1n, 1)).toEqual(["a"]);
    expect(await streams(2n, 2)).toEqual(["b"]);
    expect(await streams(3n, 2)).toEqual([]);
    expect(await streams(0n, 0)).toEqual([]);
  });

  it("lets a follower miss nothing while writers write", async () => {
    const [one, two, follower] = [await open(), await open(), await open()];
    let writing = true;
    const followed: RecordedEvent[] = [];
    const follow = async () => {
      for (;;) {
        const last = !writing;
        const read = await readNext(follower, followed, 3);
        if (read === 0 && last) return;
        await new Promise(setImmediate);
      }
    };
    const written = Promise.all(
      [one, two, one, two].map(async (store, writer) => {
        for (let version = 0; version < 25; version += 1) {
          await store.append(append([change(`thing-${writer}`, version)]));
        }
      }),
    ).finally(() => {
      writing = false;
    });
    await Promise.all([follow(), written]);
    expect(followed.map(({ position }) => position)).toEqual(
      Array.from({ length: 100 }, (_, i) => BigInt(i + 1)),
    );
    expect(await expectGapless(follower)).toBe(100);
  });
}
