import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createUnit, type Unit } from "../../src/provider/base/unit.ts";
import type { Artifact, Artifacts, ArtifactWrite } from "../../src/store/artifact.ts";
import { timeMs } from "../store/fixture.ts";
import { singly } from "../store/singly.ts";
import { type SqlitePlace, sqlitePlace } from "../store/sqlite-place.ts";

// What one request writes is one commit, which it sees before that is made.

let place: SqlitePlace;
let unit: Unit;
/** The artifacts as other requests see them. */
let others: ReturnType<typeof singly>;
/** How many changes each commit had. */
let commits: number[];
let failure: Error | undefined;

beforeEach(async () => {
  place = await sqlitePlace();
  const { artifacts } = await place.open();
  others = singly(artifacts);
  commits = [];
  failure = undefined;
  const write: Artifacts["write"] = async (changes, nowMs) => {
    if (failure !== undefined) throw failure;
    commits.push(changes.length);
    return await artifacts.write(changes, nowMs);
  };
  unit = createUnit({ store: { artifacts: { ...artifacts, write } }, now: () => timeMs });
});
afterEach(() => place.remove());

function artifact(key: string, rest: Partial<Artifact> = {}): Artifact {
  return { key, payload: "", expiresMs: timeMs + 1_000, ...rest };
}
const put = (key: string, rest: Partial<Artifact> = {}) =>
  ({ kind: "put", artifact: artifact(key, rest) }) as const;
const counting = (key: string, usesMax?: number): ArtifactWrite => ({
  ...{ kind: "count", key, expiresMs: timeMs + 1_000 },
  ...(usesMax === undefined ? {} : { usesMax }),
});
const usesOf = async (key: string) => (await others.find(key, timeMs))?.uses;
const refused = () => Promise.reject(new Error("it was already used"));

test("nothing is held where nobody said so", async () => {
  await unit.run(async () => {
    await unit.artifacts.later(put("code"));
    expect(await usesOf("code")).toBe(0);
    await unit.artifacts.useFirst("code", refused);
    await expect(unit.artifacts.useFirst("code", refused)).rejects.toThrow("already used");
  });
  expect([commits, await usesOf("code")]).toEqual([[1, 1, 1], 2]);
});

describe("what is held", () => {
  test("is written in one commit when the work is done, and not before", async () => {
    await others.put(artifact("code"));
    const answer = await unit.hold(async () => {
      await unit.artifacts.useFirst("code", refused);
      await unit.artifacts.later(put("token"));
      await unit.artifacts.later({ kind: "remove", key: "nothing" });
      expect([await usesOf("code"), await usesOf("token"), commits]).toEqual([0, undefined, []]);
      return "answer";
    });
    expect([answer, commits]).toEqual(["answer", [3]]);
    expect([await usesOf("code"), await usesOf("token")]).toEqual([1, 0]);
  });

  test("is seen by who holds it as if it were written, and by nobody else", async () => {
    await others.put(artifact("session", { alias: "uid", family: "login" }));
    await others.put(artifact("code", { family: "login" }));
    await others.count("tries", timeMs + 1_000, timeMs);
    const { find, findAlias, later, useFirst } = unit.artifacts;
    await unit.hold(async () => {
      await useFirst("code", refused);
      expect(await find("code")).toMatchObject({ uses: 1 });
      await later({ kind: "giveBack", key: "tries" });
      expect(await find("tries")).toMatchObject({ uses: 0 });
      await later({ kind: "remove", key: "session" });
      expect([await find("session"), await findAlias("uid")]).toEqual([undefined, undefined]);
      await later(put("newer", { alias: "uid", family: "another" }));
      expect(await findAlias("uid")).toMatchObject({ key: "newer", uses: 0 });
      await later({ kind: "removeFamily", family: "login" });
      expect([await find("code"), (await find("newer"))?.key]).toEqual([undefined, "newer"]);
      await later(put("over", { expiresMs: timeMs }));
      expect(await find("over")).toBeUndefined();
      expect(await others.find("session", timeMs)).toMatchObject({ family: "login" });
      expect(await others.findAlias("uid", timeMs)).toMatchObject({ key: "session" });
    });
    expect(await others.findAlias("uid", timeMs)).toMatchObject({ key: "newer" });
    expect(await others.find("code", timeMs)).toBeUndefined();
  });

  test("goes first where something is written at once, in the same commit", async () => {
    await unit.hold(async () => {
      await unit.artifacts.later(put("code", { payload: "old" }));
      expect(await unit.artifacts.write([counting("tries"), put("code")])).toEqual([1, 0]);
      expect([await usesOf("code"), commits]).toEqual([0, [3]]);
    });
    expect([commits, (await others.find("code", timeMs))?.payload]).toEqual([[3], ""]);
  });

  test("stays unwritten behind a use that is not the first, and the work is refused", async () => {
    await others.put(artifact("code"));
    const work = (token: string) =>
      unit.hold(async () => {
        await unit.artifacts.later(put(`before ${token}`));
        await unit.artifacts.useFirst("code", refused);
        await unit.artifacts.later(put(token));
        return token;
      });
    const ends = await Promise.allSettled([work("one"), work("two")]);
    expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const kept = await Promise.all(["one", "two"].map(usesOf));
    expect(kept.filter((uses) => uses === 0)).toHaveLength(1);
    await others.remove("code");
    await expect(work("three")).rejects.toThrow("already used");
    expect(await usesOf("three")).toBeUndefined();
  });

  test("is not written where the work fails, but that tries are given back", async () => {
    await others.count("tries", timeMs + 1_000, timeMs);
    const work = async () => {
      await unit.artifacts.later({ kind: "giveBack", key: "tries" });
      await unit.artifacts.later(put("token"));
      throw new Error("no token");
    };
    await expect(unit.hold(work)).rejects.toThrow("no token");
    expect([await usesOf("tries"), await usesOf("token")]).toEqual([0, undefined]);
  });

  test("fails the work where it cannot be written", async () => {
    failure = new Error("the disk is full");
    await expect(unit.hold(() => unit.artifacts.later(put("token")))).rejects.toThrow("is full");
    failure = undefined;
    expect(await usesOf("token")).toBeUndefined();
  });
});

test("what is counted past its bound lets nothing follow", async () => {
  const begin = (key: string) => unit.artifacts.write([counting("begun", 1), put(key)]);
  expect([await begin("one"), await begin("two")]).toEqual([[1, 0], [2]]);
  expect([await usesOf("one"), await usesOf("two")]).toEqual([0, undefined]);
});

test("what a request has read once it reads no more, and the next one anew", async () => {
  let reads = 0;
  const read = () => unit.once("app", async () => (reads += 1));
  for (const expected of [1, 2]) {
    await unit.run(async () => {
      expect(await Promise.all([read(), read(), unit.hold(read)])).toEqual(
        [1, 1, 1].fill(expected),
      );
    });
  }
  expect([await read(), await read()]).toEqual([3, 4]);
});
