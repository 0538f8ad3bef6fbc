import { expect, it } from "@jest/globals";
import type { AppendResult, Store } from "../../../src/store/store.ts";
import { append, change, claim, eventsOf, expectGapless } from "../fixture.ts";
import type { Open } from "./place.ts";

/** Appends that are made in one turn of the event loop and so may share a commit. */
export function batchCases(open: Open): void {
  it("lets one of many racing writers win", async () => {
    const store = await open();
    const results = await Promise.all(
      Array.from({ length: 50 }, () => store.append(append([change("thing-1", 0)]))),
    );
    expect(countKinds(results)).toEqual({ appended: 1, "version-conflict": 49 });
    expect(await store.readAll(0n, 10)).toHaveLength(1);
  });

  it("lets one of many writers win who race through two stores", async () => {
    const stores = [await open(), await open()];
    const results = await Promise.all(
      stores.flatMap((store) =>
        Array.from({ length: 20 }, () => store.append(append([change("thing-1", 0)]))),
      ),
    );
    expect(countKinds(results)).toEqual({ appended: 1, "version-conflict": 39 });
    expect(await expectGapless(await open())).toBe(1);
  });

  it("carries appends out in the order in which they were made", async () => {
    const store = await open();
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, version) =>
        store.append(append([change("thing-1", version)])),
      ),
    );
    expect(results.flatMap(eventsOf).map(({ position }) => position)).toEqual(
      Array.from({ length: 20 }, (_, i) => BigInt(i + 1)),
    );
  });

  it("leaves the neighbours of a refused append untouched", async () => {
    const store = await open();
    const held = claim("held");
    await store.append(append([change("thing-1", 0, { take: [held] })]));
    const [before, refused, after] = await Promise.all([
      store.append(append([change("thing-2", 0, { take: [claim("before")] })])),
      store.append(
        append([
          change("thing-1", 1, { release: [held] }),
          change("thing-3", 0, { take: [claim("three"), claim("before")] }),
        ]),
      ),
      store.append(append([change("thing-4", 0, { take: [claim("three")] })])),
    ]);
    expect(eventsOf(before).map(({ position }) => position)).toEqual([2n]);
    expect(refused).toEqual({ kind: "claim-taken", claim: claim("before") });
    expect(eventsOf(after).map(({ position }) => position)).toEqual([3n]);
    expect(await store.find(held)).toBe("thing-1");
    expect(await store.find(claim("three"))).toBe("thing-4");
    const objects = await store.load(["thing-1", "thing-3"]);
    expect(objects.map(({ version }) => version)).toEqual([1, 0]);
  });

  it("gives a claim to the first of two takers", async () => {
    const store = await open();
    const [first, second] = await Promise.all(
      ["thing-1", "thing-2"].map((stream) =>
        store.append(append([change(stream, 0, { take: [claim("name")] })])),
      ),
    );
    eventsOf(first);
    expect(second).toEqual({ kind: "claim-taken", claim: claim("name") });
    expect(await store.find(claim("name"))).toBe("thing-1");
  });

  it("sees that a neighbour changed what an append relied on", async () => {
    const store = await open();
    await store.append(append([change("thing-1", 0)]));
    const unchanged = [{ stream: "thing-1", version: 1 }];
    const [first, second] = await Promise.all([
      store.append(append([change("thing-1", 1)])),
      store.append(append([change("thing-2", 0)], { unchanged })),
    ]);
    eventsOf(first);
    expect(second).toEqual({ kind: "version-conflict", stream: "thing-1" });
    expect(await store.load(["thing-2"])).toMatchObject([{ version: 0 }]);
  });

  it("sees the change that another store made of what an append relied on", async () => {
    const [store, other] = [await open(), await open()];
    await store.append(append([change("thing-1", 0)]));
    eventsOf(await other.append(append([change("thing-1", 1)])));
    const unchanged = [{ stream: "thing-1", version: 1 }];
    const result = await store.append(append([change("thing-2", 0)], { unchanged }));
    expect(result).toEqual({ kind: "version-conflict", stream: "thing-1" });
  });

  it("sees the change that an append before it made of what an append relied on", async () => {
    const store = await open();
    await store.append(append([change("thing-1", 0)]));
    const unchanged = [{ stream: "thing-1", version: 1 }];
    eventsOf(await store.append(append([change("thing-2", 0)], { unchanged })));
    const [changed, relying] = await Promise.all([
      store.append(append([change("thing-1", 1)])),
      store.append(append([change("thing-3", 0)], { unchanged })),
    ]);
    expect(changed).toMatchObject({ kind: "appended" });
    expect(relying).toEqual({ kind: "version-conflict", stream: "thing-1" });
  });

  it("answers when the events can be seen from outside", async () => {
    const [store, other] = [await open(), await open()];
    const seen = await Promise.all(
      ["thing-1", "thing-2"].map(async (stream) => {
        eventsOf(await store.append(append([change(stream, 0)])));
        return versionIn(other, stream);
      }),
    );
    expect(seen).toEqual([1, 1]);
  });

  it("shows its own readers nothing that others cannot see yet", async () => {
    const [store, other] = [await open(), await open()];
    const write = async () => {
      for (let version = 0; version < 10; version += 1) {
        eventsOf(await store.append(append([change("thing-1", version)])));
      }
    };
    let writing = true;
    const written = write().finally(() => {
      writing = false;
    });
    const look = async () => {
      while (writing) {
        const own = await store.readAll(0n, 10);
        expect((await other.readAll(0n, 10)).slice(0, own.length)).toEqual(own);
        await new Promise(setImmediate);
      }
    };
    await Promise.all([look(), written]);
  });

  it("answers a refusal when what it rests on can be seen from outside", async () => {
    const [store, other] = [await open(), await open()];
    const takes = { take: [claim("name")] };
    const first = store.append(append([change("thing-1", 0, takes)]));
    const refusals = await Promise.all(
      [
        append([change("thing-1", 0)]),
        append([change("thing-2", 0, takes)]),
        append([change("thing-3", 0)], { unchanged: [{ stream: "thing-1", version: 0 }] }),
      ].map(async (each) => {
        const { kind } = await store.append(each);
        return [kind, await versionIn(other, "thing-1")];
      }),
    );
    eventsOf(await first);
    expect(refusals).toEqual([
      ["version-conflict", 1],
      ["claim-taken", 1],
      ["version-conflict", 1],
    ]);
  });

  it("rejects one append that breaks the contract and none of its neighbours", async () => {
    const store = await open();
    const made = ["thing-1", "thing-2", "thing-3"].map((stream) =>
      store.append(
        append([change(stream, 0, stream === "thing-2" ? { release: [claim("never")] } : {})]),
      ),
    );
    const [first, second, third] = await Promise.allSettled(made);
    expect(first?.status).toBe("fulfilled");
    expect(second?.status).toBe("rejected");
    expect(third?.status).toBe("fulfilled");
    expect((await store.readAll(0n, 10)).map(({ stream }) => stream)).toEqual([
      "thing-1",
      "thing-3",
    ]);
    expect(await expectGapless(store)).toBe(2);
  });
}

function countKinds(results: readonly AppendResult[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of results) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

async function versionIn(store: Store, stream: string): Promise<number | undefined> {
  const [object] = await store.load([stream]);
  return object?.version;
}
