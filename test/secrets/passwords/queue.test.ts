import { describe, expect, test } from "@jest/globals";
import { createQueue, HashingOverloaded } from "../../../src/secrets/passwords/queue.ts";

/** Work that ends when the test says so. */
function createWork() {
  const started: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<string>>();
  return {
    started,
    of: (name: string) => () => {
      started.push(name);
      const end = Promise.withResolvers<string>();
      ends.set(name, end);
      return end.promise;
    },
    finish: (name: string) => ends.get(name)?.resolve(name),
    fail: (name: string) => ends.get(name)?.reject(new Error(name)),
  };
}

describe("a queue", () => {
  test("runs as many at once as it may, the others in the order they came", async () => {
    const queue = createQueue({ concurrency: 2, waitingMax: 3 });
    const work = createWork();
    const results = ["a", "b", "c", "d", "e"].map((name) => queue.run(work.of(name)));
    expect(work.started).toEqual(["a", "b"]);

    work.finish("b");
    expect(await results[1]).toBe("b");
    expect(work.started).toEqual(["a", "b", "c"]);
    work.finish("a");
    expect(await results[0]).toBe("a");
    expect(work.started).toEqual(["a", "b", "c", "d"]);
    for (const name of ["c", "d"]) work.finish(name);
    await Promise.all([results[2], results[3]]);
    work.finish("e");
    expect(await results[4]).toBe("e");
  });

  test("lets as many wait as it may, and refuses one more at once", async () => {
    const queue = createQueue({ concurrency: 1, waitingMax: 2 });
    const work = createWork();
    const results = ["a", "b", "c"].map((name) => queue.run(work.of(name)));
    await expect(queue.run(work.of("d"))).rejects.toBeInstanceOf(HashingOverloaded);
    expect(work.started).toEqual(["a"]);

    work.finish("a");
    await results[0];
    // One place is free again, and only one.
    const late = queue.run(work.of("e"));
    await expect(queue.run(work.of("f"))).rejects.toBeInstanceOf(HashingOverloaded);
    for (const [index, name] of ["b", "c"].entries()) {
      work.finish(name);
      await results[index + 1];
    }
    work.finish("e");
    expect(await late).toBe("e");
    expect(work.started).toEqual(["a", "b", "c", "e"]);
  });

  test("gives the place of work that failed to the next", async () => {
    const queue = createQueue({ concurrency: 1, waitingMax: 2 });
    const work = createWork();
    const failing = queue.run(work.of("a"));
    const throwing = queue.run(() => {
      throw new Error("b");
    });
    const following = queue.run(work.of("c"));
    const failures = Promise.all([
      expect(failing).rejects.toThrow("a"),
      expect(throwing).rejects.toThrow("b"),
    ]);
    work.fail("a");
    await failures;
    work.finish("c");
    expect(await following).toBe("c");
    const last = queue.run(work.of("d"));
    expect(work.started).toEqual(["a", "c", "d"]);
    work.finish("d");
    expect(await last).toBe("d");
  });

  test("drops what waits for a caller who has gone, and lets another in its place", async () => {
    const queue = createQueue({ concurrency: 1, waitingMax: 2 });
    const work = createWork();
    const calls = { b: new AbortController(), c: new AbortController() };
    const running = queue.run(work.of("a"));
    const gone = queue.run(work.of("b"), calls.b.signal);
    const waiting = queue.run(work.of("c"), calls.c.signal);
    await expect(queue.run(work.of("d"))).rejects.toBeInstanceOf(HashingOverloaded);

    const why = new Error("the caller has gone");
    calls.b.abort(why);
    await expect(gone).rejects.toBe(why);
    const late = queue.run(work.of("e"));
    work.finish("a");
    await running;
    expect(work.started).toEqual(["a", "c"]);

    // What has begun goes on to its end.
    calls.c.abort(why);
    work.finish("c");
    expect(await waiting).toBe("c");
    work.finish("e");
    expect(await late).toBe("e");
    expect(work.started).toEqual(["a", "c", "e"]);
  });

  test("does not begin for a caller who has gone before", async () => {
    const queue = createQueue({ concurrency: 1, waitingMax: 0 });
    const work = createWork();
    const why = new Error("the caller has gone");
    await expect(queue.run(work.of("a"), AbortSignal.abort(why))).rejects.toBe(why);
    const next = queue.run(work.of("b"));
    work.finish("b");
    expect(await next).toBe("b");
    expect(work.started).toEqual(["b"]);
  });
});
