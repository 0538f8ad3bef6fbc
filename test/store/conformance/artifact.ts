import { expect, it } from "@jest/globals";
import { type Artifact, artifactsForgottenAtOnce } from "../../../src/store/artifact.ts";
import { append, change, eventsOf, timeMs } from "../fixture.ts";
import { openSingly, type SingleStore } from "../singly.ts";
import type { Open } from "./place.ts";

const overMs = timeMs + 1_000;

function artifact(key: string, rest: Partial<Artifact> = {}): Artifact {
  return { key, payload: `{"of":"${key}"}`, expiresMs: overMs, ...rest };
}

/** What is kept of logins, for how long, and who may use it. */
export function artifactCases(openStore: Open): void {
  const open = openSingly(openStore);

  it("are there for every store until their time is over", async () => {
    const [store, other] = [await open(), await open()];
    const kept = artifact("code", { alias: "by another name", family: "login" });
    await store.artifacts.put(kept);
    for (const { artifacts } of [store, other]) {
      expect(await artifacts.find("code", overMs - 1)).toEqual({ ...kept, uses: 0 });
      expect(await artifacts.findAlias("by another name", overMs - 1)).toEqual({
        ...kept,
        uses: 0,
      });
      expect(await artifacts.find("code", overMs)).toBeUndefined();
      expect(await artifacts.findAlias("by another name", overMs)).toBeUndefined();
      expect(await artifacts.find("CODE", timeMs)).toBeUndefined();
      expect(await artifacts.use("code", overMs)).toBe(0);
    }
    await other.artifacts.remove("code");
    expect(await store.artifacts.find("code", timeMs)).toBeUndefined();
  });

  it("are used first by one of all who use them", async () => {
    const stores = [await open(), await open()];
    await stores[0]!.artifacts.put(artifact("code"));
    const used = await Promise.all(
      [...stores, ...stores].map(({ artifacts }) => artifacts.use("code", timeMs)),
    );
    expect(used.toSorted()).toEqual([1, 2, 3, 4]);
    expect(await stores[0]!.artifacts.use("unknown", timeMs)).toBe(0);
  });

  it("stay used when they are kept anew", async () => {
    const { artifacts } = await open();
    await artifacts.put(artifact("code", { alias: "old" }));
    await artifacts.use("code", timeMs);
    await artifacts.put(artifact("code", { payload: "new", expiresMs: overMs + 1 }));
    const anew = { key: "code", payload: "new", expiresMs: overMs + 1, uses: 1 };
    expect(await artifacts.find("code", overMs)).toEqual(anew);
    expect(await artifacts.findAlias("old", timeMs)).toBeUndefined();
  });

  it("of a family and of one kind are so many at most: those that would end first go", async () => {
    const [{ artifacts }, other] = [await open(), await open()];
    const put = (key: string, lasts: number, family = "login", most?: number) =>
      artifacts.put(artifact(key, { family, expiresMs: timeMs + lasts }), most);
    const there = async () => {
      const keys = ["token:1", "token:2", "token:3", "token:4", "code:1", "token:5", "tokens:1"];
      const found = await Promise.all(keys.map((key) => other.artifacts.find(key, timeMs)));
      return keys.filter((_, i) => found[i] !== undefined);
    };
    await put("code:1", 10, "login", 2);
    await put("tokens:1", 10, "login", 2);
    await put("token:5", 10, "another login", 2);
    await put("token:1", 300);
    await put("token:2", 100, "login", 2);
    const others = ["code:1", "token:5", "tokens:1"];
    expect(await there()).toEqual(["token:1", "token:2", ...others]);
    // One that is kept anew is none more.
    await put("token:2", 100, "login", 2);
    expect(await there()).toEqual(["token:1", "token:2", ...others]);
    await put("token:3", 200, "login", 2);
    expect(await there()).toEqual(["token:1", "token:3", ...others]);
    // The one that comes stays, though it ends first.
    await put("token:4", 50, "login", 2);
    expect(await there()).toEqual(["token:1", "token:4", ...others]);
    await put("token:2", 60, "login");
    expect(await there()).toEqual(["token:1", "token:2", "token:4", ...others]);
  });

  it("go with their family, by themselves or with an append that names it", async () => {
    const store = await open();
    const { artifacts } = store;
    for (const family of ["one", "two", "three"]) {
      await artifacts.put(artifact(`code of ${family}`, { family }));
      await artifacts.put(artifact(`token of ${family}`, { family }));
    }
    await artifacts.put(artifact("alone"));
    await artifacts.removeFamily("one");
    const naming = { families: ["two"] };
    eventsOf(await store.append(append([change("thing-1", 0)], naming)));
    const refused = await store.append(append([change("thing-1", 0)], { families: ["three"] }));
    expect(refused.kind).toBe("version-conflict");
    const keys = ["one", "two", "three"].flatMap((one) => [`code of ${one}`, `token of ${one}`]);
    const left = await Promise.all([...keys, "alone"].map((key) => artifacts.find(key, timeMs)));
    const names = left.flatMap((one) => (one === undefined ? [] : [one.key]));
    expect(names).toEqual(["code of three", "token of three", "alone"]);
  });

  it("are written beside others, whom one that cannot be written does not disturb", async () => {
    const store = await open();
    const { artifacts } = store;
    await artifacts.put(artifact("code"));
    const [used, wrong, appended, again] = await Promise.allSettled([
      artifacts.use("code", timeMs),
      artifacts.put(artifact("wrong", { expiresMs: Number.NaN })),
      store.append(append([change("thing-1", 0)])),
      artifacts.use("code", timeMs),
      artifacts.put(artifact("token")),
    ]);
    expect(wrong.status).toBe("rejected");
    expect(appended).toMatchObject({ status: "fulfilled", value: { kind: "appended" } });
    const values = [used, again].map((one) => one.status === "fulfilled" && one.value);
    expect(values.toSorted()).toEqual([1, 2]);
    expect(await artifacts.find("wrong", 0)).toBeUndefined();
    expect(await artifacts.find("code", timeMs)).toMatchObject({ uses: 2 });
    expect(await artifacts.find("token", timeMs)).toMatchObject({ key: "token" });
  });

  it("are changed all at once, in order, and each as if it were alone", async () => {
    const [store, other] = [await open(), await open()];
    const { artifacts } = store;
    await artifacts.put(artifact("old", { family: "login", alias: "by another name" }));
    await artifacts.put(artifact("token of login", { family: "login" }));
    const uses = await artifacts.write(
      [
        { kind: "use", key: "old", usesMax: 1 },
        { kind: "count", key: "tries", expiresMs: overMs },
        { kind: "count", key: "tries", expiresMs: overMs + 5, usesMax: 2 },
        { kind: "put", artifact: artifact("old", { alias: "name", family: "kept" }) },
        { kind: "put", artifact: artifact("new", { alias: "name", family: "login" }) },
        { kind: "giveBack", key: "tries" },
        { kind: "removeFamily", family: "login" },
        { kind: "put", artifact: artifact("newest", { family: "login" }) },
        { kind: "put", artifact: artifact("gone") },
        { kind: "remove", key: "gone" },
        { kind: "giveBack", key: "unknown" },
        { kind: "use", key: "newest" },
      ],
      timeMs,
    );
    expect(uses).toEqual([1, 1, 2, 1, 0, 1, 0, 0, 0, 0, 0, 1]);
    const find = (key: string) => other.artifacts.find(key, timeMs);
    expect(await find("old")).toMatchObject({ alias: "name", family: "kept", uses: 1 });
    expect(await find("tries")).toMatchObject({ uses: 1, expiresMs: overMs });
    expect(await find("newest")).toMatchObject({ uses: 1 });
    for (const key of ["new", "token of login", "gone", "unknown"]) {
      expect([key, await find(key)]).toEqual([key, undefined]);
    }
    expect(await other.artifacts.findAlias("name", timeMs)).toMatchObject({ key: "old" });
    expect(await artifacts.write([], timeMs)).toEqual([]);
  });

  it("are changed no further than to one whose bound is passed, which counts itself", async () => {
    const [store, other] = [await open(), await open()];
    await store.artifacts.put(artifact("code"));
    const useFirst = (key: string, put: string) =>
      store.artifacts.write(
        [
          { kind: "use", key, usesMax: 1 },
          { kind: "put", artifact: artifact(put) },
          { kind: "remove", key: "code" },
        ],
        timeMs,
      );
    const countTwo = (put: string) =>
      store.artifacts.write(
        [
          { kind: "count", key: "tries", expiresMs: overMs, usesMax: 2 },
          { kind: "put", artifact: artifact(put) },
        ],
        timeMs,
      );
    expect(await useFirst("unknown", "of nothing")).toEqual([0]);
    await store.artifacts.use("code", timeMs);
    expect(await useFirst("code", "of the second")).toEqual([2]);
    expect([await countTwo("one"), await countTwo("two")]).toEqual([
      [1, 0],
      [2, 0],
    ]);
    expect([await countTwo("three"), await countTwo("four")]).toEqual([[3], [4]]);
    const keys = ["of nothing", "of the second", "one", "two", "three", "four", "code"];
    const found = await Promise.all(keys.map((key) => other.artifacts.find(key, timeMs)));
    expect(found.map((one) => one?.uses)).toEqual([
      undefined,
      undefined,
      0,
      0,
      undefined,
      undefined,
      2,
    ]);
  });

  it("are changed together by one of many stores that want the same", async () => {
    const stores = [await open(), await open(), await open()];
    for (const round of [1, 2, 3, 4]) {
      const ends = await Promise.all(
        stores.flatMap(({ artifacts }, i) => [
          artifacts.write(
            [
              { kind: "count", key: `new ${round}`, expiresMs: overMs, usesMax: 1 },
              { kind: "count", key: "tries", expiresMs: overMs },
              { kind: "put", artifact: artifact(`winner ${round} ${i}`) },
            ],
            timeMs,
          ),
          artifacts.write(
            [
              { kind: "count", key: "tries", expiresMs: overMs },
              { kind: "count", key: `other ${round}`, expiresMs: overMs },
            ],
            timeMs,
          ),
        ]),
      );
      const won = ends.filter((_uses, i) => i % 2 === 0);
      expect(won.map(([first]) => first).toSorted()).toEqual([1, 2, 3]);
      expect(won.filter(({ length }) => length === 3)).toHaveLength(1);
      const [{ artifacts }] = stores as [SingleStore];
      const winners = await Promise.all(
        stores.map((_store, i) => artifacts.find(`winner ${round} ${i}`, timeMs)),
      );
      expect(winners.filter((one) => one !== undefined)).toHaveLength(1);
      expect(await artifacts.find("tries", timeMs)).toMatchObject({ uses: 4 * round });
      expect(await artifacts.find(`other ${round}`, timeMs)).toMatchObject({ uses: 3 });
    }
  });

  it("are removed once their time is over, so many at a time", async () => {
    const { artifacts } = await open();
    expect(await artifacts.forget(overMs)).toBe(false);
    for (let i = 0; i <= artifactsForgottenAtOnce; i += 1) await artifacts.put(artifact(`${i}`));
    await artifacts.put(artifact("later", { expiresMs: overMs + 1 }));
    expect(await artifacts.forget(overMs - 1)).toBe(false);
    expect(await artifacts.forget(overMs)).toBe(true);
    expect(await artifacts.forget(overMs)).toBe(false);
    expect(await artifacts.find("1000", timeMs)).toBeUndefined();
    expect(await artifacts.find("later", timeMs)).toMatchObject({ key: "later" });
  });
}
