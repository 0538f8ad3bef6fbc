import { describe, expect, test } from "@jest/globals";
import { createLock } from "../../src/execute/lock.ts";
import { fc } from "../harness/laws.ts";

/** Work that begins when its turn comes and ends when it is told to. */
function heldWork(log: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  return {
    work: () => {
      log.push(name);
      return promise;
    },
    end: () => resolve(name),
    fail: () => reject(new Error(name)),
  };
}

/** Lets everything run that waits for nothing from outside. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("work on one key", () => {
  test("runs one after another, in the order it came", async () => {
    const lock = createLock();
    const log: string[] = [];
    const [a, b, c] = ["a", "b", "c"].map((name) => heldWork(log, name));
    const results = [a!, b!, c!].map(({ work }) => lock.hold(["key"], work));
    await settled();
    expect(log).toEqual(["a"]);
    // That a later one could end already does not matter.
    c!.end();
    a!.end();
    await settled();
    expect(log).toEqual(["a", "b"]);
    b!.end();
    expect(await Promise.all(results)).toEqual(["a", "b", "c"]);
    expect(log).toEqual(["a", "b", "c"]);
  });

  test("goes on after a failure, which only its own caller sees", async () => {
    const lock = createLock();
    const log: string[] = [];
    const [a, b] = ["a", "b"].map((name) => heldWork(log, name));
    const first = lock.hold(["key"], a!.work);
    const second = lock.hold(["key"], b!.work);
    a!.fail();
    await expect(first).rejects.toThrow("a");
    b!.end();
    expect(await second).toBe("b");
  });
});

describe("work on several keys", () => {
  test("waits for all earlier work on any of them, and no other", async () => {
    const lock = createLock();
    const log: string[] = [];
    const names = ["x", "y", "x+y", "z", "y again"];
    const [x, y, both, z, again] = names.map((name) => heldWork(log, name));
    const results = [
      lock.hold(["x"], x!.work),
      lock.hold(["y"], y!.work),
      lock.hold(["x", "y"], both!.work),
      lock.hold(["z"], z!.work),
      lock.hold(["y"], again!.work),
    ];
    await settled();
    expect(log).toEqual(["x", "y", "z"]);
    y!.end();
    await settled();
    expect(log).toEqual(["x", "y", "z"]);
    x!.end();
    await settled();
    expect(log).toEqual(["x", "y", "z", "x+y"]);
    both!.end();
    await settled();
    expect(log).toEqual(["x", "y", "z", "x+y", "y again"]);
    z!.end();
    again!.end();
    expect(await Promise.all(results)).toEqual(names);
  });

  test.each([
    ["no key", []],
    ["the same key twice", ["key", "key"]],
    ["keys that are properties of every object", ["__proto__", "constructor"]],
  ])("takes %s", async (_, keys) => {
    const lock = createLock();
    const results = [1, 2, 3].map((value) => lock.hold(keys, () => Promise.resolve(value)));
    expect(await Promise.all(results)).toEqual([1, 2, 3]);
  });

  test("never runs two pieces of work on one key at once, and never stops", async () => {
    const keys = fc.subarray(["a", "b", "c", "d"]);
    const works = fc.array(fc.tuple(keys, fc.boolean(), fc.nat(3)), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(works, async (given) => {
        const lock = createLock();
        const running = new Set<string>();
        const clashes: string[] = [];
        const results = given.map(([own, fails, steps]) =>
          lock.hold(own, async () => {
            for (const key of own) {
              if (running.has(key)) clashes.push(key);
              running.add(key);
            }
            for (let step = 0; step < steps; step += 1) await Promise.resolve();
            for (const key of own) running.delete(key);
            if (fails) throw new Error("as told");
          }),
        );
        const outcomes = await Promise.allSettled(results);
        expect(clashes).toEqual([]);
        expect(outcomes.map(({ status }) => status)).toEqual(
          given.map(([, fails]) => (fails ? "rejected" : "fulfilled")),
        );
      }),
    );
  });
});

test("nothing is remembered of keys whose work is over", async () => {
  const lock = createLock();
  const keys = Array.from({ length: 100 }, (_, index) => `key ${index}`);
  const works = keys.flatMap((key, index) => [
    lock.hold([key, "shared"], () => Promise.resolve()),
    lock.hold([key], () => (index % 2 ? Promise.reject(new Error("as told")) : Promise.resolve())),
  ]);
  await Promise.allSettled(works);
  await settled();
  // Work on keys that nothing is remembered of begins before `take` relock.
  const begun: string[] = [];
  for (const key of [...keys, "shared"]) {
    void lock.hold([key], () => Promise.resolve(begun.push(key)));
  }
  expect(begun).toEqual([...keys, "shared"]);
});
