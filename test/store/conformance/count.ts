import { expect, it } from "@jest/globals";
import { countsAheadMaxMs } from "../../../src/store/artifact.ts";
import { timeMs } from "../fixture.ts";
import { openSingly, type SingleStore } from "../singly.ts";
import type { Open } from "./place.ts";

const overMs = timeMs + 1_000;

/** What artifacts count that are made with their first use. */
export function countCases(openStore: Open): void {
  const open = openSingly(openStore);

  it("count what nobody has kept before, and begin anew when their time is over", async () => {
    const [store, other] = [await open(), await open()];
    const count = (nowMs: number) => store.artifacts.count("tries", nowMs + 1_000, nowMs);
    expect([await count(timeMs), await count(overMs - 1)]).toEqual([1, 2]);
    expect(await other.artifacts.count("tries", timeMs + 5_000, timeMs)).toBe(3);
    expect([await count(overMs), await count(overMs + 999)]).toEqual([1, 2]);
  });

  it("count anew what a clock that was ahead began, but for what may happen once", async () => {
    const [store, other] = [await open(), await open()];
    const aheadMs = timeMs + 1_000 + countsAheadMaxMs;
    for (const [key, expiresMs] of [
      ["near", aheadMs],
      ["far", aheadMs + 1],
      ["once", aheadMs + 1],
    ] as const) {
      await store.artifacts.count(key, expiresMs, timeMs);
    }
    const count = (key: string) => other.artifacts.count(key, timeMs + 1_000, timeMs);
    expect([await count("near"), await count("far"), await count("far")]).toEqual([2, 1, 2]);
    expect(await store.artifacts.find("near", timeMs)).toMatchObject({ expiresMs: aheadMs });
    expect(await store.artifacts.find("far", timeMs)).toMatchObject({ expiresMs: timeMs + 1_000 });
    const once = { kind: "count", key: "once", expiresMs: timeMs + 1_000, isOnce: true } as const;
    expect(await other.artifacts.write([once], timeMs)).toEqual([2]);
  });

  it("have a use given back, if there is one, and as often by how many at once", async () => {
    const stores = [await open(), await open()];
    const [{ artifacts }] = stores as [SingleStore];
    const giveBack = (nowMs: number) =>
      Promise.all(stores.map((store) => store.artifacts.giveBack("tries", nowMs)));
    await giveBack(timeMs);
    expect(await artifacts.find("tries", 0)).toBeUndefined();
    for (let times = 0; times < 5; times += 1) await artifacts.count("tries", overMs, timeMs);
    await giveBack(timeMs);
    expect(await artifacts.find("tries", timeMs)).toMatchObject({ uses: 3, expiresMs: overMs });
    expect(await artifacts.count("tries", overMs + 5, timeMs)).toBe(4);
    // What is over stays what it was.
    await giveBack(overMs);
    expect(await artifacts.find("tries", timeMs)).toMatchObject({ uses: 4 });
    await giveBack(timeMs);
    await giveBack(timeMs);
    await giveBack(timeMs);
    expect(await artifacts.find("tries", timeMs)).toMatchObject({ uses: 0 });
    expect(await artifacts.use("tries", timeMs)).toBe(1);
  });

  it("count and give back what many stores change at once, each as if it were alone", async () => {
    const stores = [await open(), await open(), await open()];
    const counted = await Promise.all(
      stores.flatMap(({ artifacts }) =>
        Array.from({ length: 6 }, () => artifacts.count("tries", overMs, timeMs)),
      ),
    );
    expect(counted.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 18 }, (_, i) => i + 1));
    await Promise.all(
      stores.flatMap(({ artifacts }) => [
        artifacts.giveBack("tries", timeMs),
        artifacts.put({ key: "tries", payload: "", expiresMs: overMs }),
        artifacts.giveBack("tries", timeMs),
      ]),
    );
    expect(await stores[0]!.artifacts.use("tries", timeMs)).toBe(13);
  });
}
