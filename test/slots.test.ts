import { describe, expect, test } from "@jest/globals";
import { createFairSlots, createShares, createSlots } from "../src/slots.ts";

/** Slots that refuse with an error of their own. */
class Overloaded extends Error {}
const slotsOf = (concurrentMax: number, waitingMax: number) =>
  createSlots({ concurrentMax, waitingMax, overloaded: () => new Overloaded() });

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

describe("slots", () => {
  test("run as many at once as it may, the others in the order they came", async () => {
    const slots = slotsOf(2, 3);
    const work = createWork();
    const results = ["a", "b", "c", "d", "e"].map((name) => slots.run(work.of(name)));
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

  test("let as many wait as it may, and refuses one more at once", async () => {
    const slots = slotsOf(1, 2);
    const work = createWork();
    const results = ["a", "b", "c"].map((name) => slots.run(work.of(name)));
    await expect(slots.run(work.of("d"))).rejects.toBeInstanceOf(Overloaded);
    expect(work.started).toEqual(["a"]);

    work.finish("a");
    await results[0];
    // One place is free again, and only one.
    const late = slots.run(work.of("e"));
    await expect(slots.run(work.of("f"))).rejects.toBeInstanceOf(Overloaded);
    for (const [index, name] of ["b", "c"].entries()) {
      work.finish(name);
      await results[index + 1];
    }
    work.finish("e");
    expect(await late).toBe("e");
    expect(work.started).toEqual(["a", "b", "c", "e"]);
  });

  test("give the place of work that failed to the next", async () => {
    const slots = slotsOf(1, 2);
    const work = createWork();
    const failing = slots.run(work.of("a"));
    const throwing = slots.run(() => {
      throw new Error("b");
    });
    const following = slots.run(work.of("c"));
    const failures = Promise.all([
      expect(failing).rejects.toThrow("a"),
      expect(throwing).rejects.toThrow("b"),
    ]);
    work.fail("a");
    await failures;
    work.finish("c");
    expect(await following).toBe("c");
    const last = slots.run(work.of("d"));
    expect(work.started).toEqual(["a", "c", "d"]);
    work.finish("d");
    expect(await last).toBe("d");
  });

  test("drop what waits for a caller who has gone, and let another in its place", async () => {
    const slots = slotsOf(1, 2);
    const work = createWork();
    const calls = { b: new AbortController(), c: new AbortController() };
    const running = slots.run(work.of("a"));
    const gone = slots.run(work.of("b"), calls.b.signal);
    const waiting = slots.run(work.of("c"), calls.c.signal);
    await expect(slots.run(work.of("d"))).rejects.toBeInstanceOf(Overloaded);

    const why = new Error("the caller has gone");
    calls.b.abort(why);
    await expect(gone).rejects.toBe(why);
    const late = slots.run(work.of("e"));
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

  test("do not begin for a caller who has gone before", async () => {
    const slots = slotsOf(1, 0);
    const work = createWork();
    const why = new Error("the caller has gone");
    await expect(slots.run(work.of("a"), AbortSignal.abort(why))).rejects.toBe(why);
    const next = slots.run(work.of("b"));
    work.finish("b");
    expect(await next).toBe("b");
    expect(work.started).toEqual(["b"]);
  });
});

describe("work with a rank", () => {
  /**
   * Names are ranks, of which three may wait; those of a kind without places of its own have a k
   * in front. Other work has letters.
   */
  function lineOf(waitingMax = 6) {
    const slots = slotsOf(1, waitingMax);
    const work = createWork();
    const refused: string[] = [];
    const run = (name: string, signal?: AbortSignal) => {
      const [, k, rank] = /^(k?)(\d)/.exec(name) ?? [];
      const kind = k === "k" ? { kind: "no places" } : { kind: "places", waitingMax: 3 };
      const ranked = rank === undefined ? undefined : { ...kind, rank: Number(rank) };
      return slots.run(work.of(name), signal, ranked).catch((why: unknown) => {
        expect(why).toBeInstanceOf(Overloaded);
        refused.push(name);
        return name;
      });
    };
    const done = async (names: readonly string[]) => {
      const all = names.map((name) => run(name));
      for (let nth = 0; nth < work.started.length; nth += 1) {
        work.finish(work.started[nth]!);
        await new Promise(setImmediate);
      }
      await Promise.all(all);
      return { started: work.started, refused };
    };
    return { run, done, work };
  }

  test.each([
    ["comes by that, and of one rank in order", "a 3 1x 1y", "a 1x 1y 3", ""],
    ["takes no place of other work", "a 3 b 2 c", "a 2 b 3 c", ""],
    ["takes the place of the last where the line is full", "a 2 4 3 1", "a 1 2 3", "4"],
    ["takes none of its own rank", "a 2 4x 4y 4z", "a 2 4x 4y", "4z"],
    ["has the newest of one rank leave", "a 2 4x 4y 3", "a 2 3 4x", "4y"],
    ["goes on in order where another came between", "a 4x 4y 3", "a 3 4x 4y", ""],
    ["does not come where the line is full of lower ranks", "a 1 2 3 4", "a 1 2 3", "4"],
    ["leaves other work its places", "a 1 2 3 b c d e", "a 1 2 3 b c d", "e"],
    ["counts no other work that waits", "a 3 b c d 1 2", "a 1 b c d 2 3", ""],
    ["comes last, and not least, where other work waits", "a b c d 1", "a b c d 1", ""],
    ["has its places where other work took them", "a b c d e f g 1", "a b c d e f 1", "g"],
    ["comes by that of its kind", "a 3 k4 2 k1", "a 2 k1 3 k4", ""],
    ["of its kind, where the line is full", "a k2x b c k2y d e k1", "a k1 b c k2x d e", "k2y"],
    ["and does not, of a higher rank", "a k2 b c k1 d e k3", "a k1 b c k2 d e", "k3"],
    ["takes no place of another kind", "a k2 1 c d e f k1", "a k1 1 c d e f", "k2"],
    ["is left its places by other work", "a k2 b c d e f g", "a k2 b c d e f", "g"],
    ["takes none of other work", "a b c d e f g k1", "a b c d e f g", "k1"],
    ["leaves where others have their places", "a k1 k3 k2 b c k4 1", "a k1 k2 k3 b c 1", "k4"],
    ["has no more", "a b c d e f g 1 2 3 4", "a b c d 1 2 3", "g f e 4"],
  ])("%s", async (_, asked, started, refused) => {
    const words = (text: string) => text.split(" ").filter((word) => word !== "");
    expect(await lineOf().done(words(asked))).toEqual({
      started: words(started),
      refused: words(refused),
    });
  });

  test("leaves with its caller, once", async () => {
    const { run, done, work } = lineOf();
    const call = new AbortController();
    const running = run("a");
    const dropped = [run("2"), run("4", call.signal), run("3"), run("1")];
    expect(await dropped[1]).toBe("4");
    call.abort(new Error("the caller has gone"));
    expect(await done([])).toEqual({ started: ["a", "1", "2", "3"], refused: ["4"] });
    expect(await Promise.all([running, ...dropped])).toHaveLength(5);
    expect(work.started).toHaveLength(4);
  });
});

describe("shares", () => {
  test("are slots for each key, and none for those that nobody uses", async () => {
    const overloaded = () => new Overloaded();
    const shares = createShares({ concurrentMax: 1, waitingMax: 0, overloaded });
    const work = createWork();
    const first = shares.run("a", work.of("a1"));
    await expect(shares.run("a", work.of("a2"))).rejects.toBeInstanceOf(Overloaded);
    const other = shares.run("b", work.of("b1"));
    expect(work.started).toEqual(["a1", "b1"]);
    work.finish("a1");
    await first;
    const next = shares.run("a", work.of("a3"));
    expect(work.started).toEqual(["a1", "b1", "a3"]);
    for (const name of ["b1", "a3"]) work.finish(name);
    await Promise.all([other, next]);
  });
});

describe("slots that several share", () => {
  const fairOf = (concurrentMax: number, ofOneMax: number, waitingMax: number) =>
    createFairSlots({ concurrentMax, ofOneMax, waitingMax, overloaded: () => new Overloaded() });
  /** Has work begun for those named; each name begins with who it is for. */
  const begin = (fair: ReturnType<typeof fairOf>, work: Work, ...names: readonly string[]) =>
    names.map((name) => fair.run(name.startsWith("-") ? undefined : name[0], work.of(name)));
  type Work = ReturnType<typeof createWork>;

  test("are for one of them as many as one may have, and one is left for all", async () => {
    const [fair, work] = [fairOf(4, 2, 10), createWork()];
    const all = begin(fair, work, "a1", "a2", "a3", "b1", "b2", "c1", "-1", "-2");
    expect(work.started).toEqual(["a1", "a2", "b1", "-1"]);
    work.finish("-1");
    await all[6];
    expect(work.started.slice(4)).toEqual(["-2"]);
    work.finish("b1");
    await all[3];
    // c had none yet, and b had its last one later than a has.
    expect(work.started.slice(5)).toEqual(["c1"]);
    work.finish("c1");
    await all[5];
    expect(work.started.slice(6)).toEqual(["b2"]);
    work.finish("a1");
    await all[0];
    expect(work.started.slice(7)).toEqual(["a3"]);
    for (const name of ["a2", "a3", "b2", "-2"]) work.finish(name);
    await Promise.all(all);
  });

  test("are given to those who wait in turn where there is one alone", async () => {
    const [fair, work] = [fairOf(1, 1, 10), createWork()];
    const names = ["a1", "a2", "a3", "b1", "b2", "-1"];
    const all = begin(fair, work, ...names);
    for (let nth = 0; nth < names.length; nth += 1) {
      const name = work.started[nth] ?? "";
      work.finish(name);
      await all[names.indexOf(name)];
    }
    expect(work.started).toEqual(["a1", "b1", "-1", "a2", "b2", "a3"]);
  });

  test("have so many wait; of one more, the last leaves of who has most of them", async () => {
    const [fair, work] = [fairOf(1, 1, 3), createWork()];
    const [first, ...others] = begin(fair, work, "a1", "a2", "a3", "b1");
    const [one] = begin(fair, work, "c1");
    await expect(others[1]).rejects.toBeInstanceOf(Overloaded);
    const call = new AbortController();
    const gone = fair.run("d", work.of("d1"), call.signal);
    // Each has one now: the first of those leaves.
    await expect(others[0]).rejects.toBeInstanceOf(Overloaded);
    call.abort(new Error("gone"));
    await expect(gone).rejects.toThrow("gone");
    await expect(fair.run("e", work.of("e1"), call.signal)).rejects.toThrow("gone");
    const ends = [first, others[2], one];
    for (const [nth, name] of ["a1", "b1", "c1"].entries()) {
      work.finish(name);
      expect(await ends[nth]).toBe(name);
    }
    expect(work.started).toEqual(["a1", "b1", "c1"]);
  });

  test("are free again where work fails", async () => {
    const [fair, work] = [fairOf(1, 1, 1), createWork()];
    const [failing, next] = begin(fair, work, "a1", "a2");
    work.fail("a1");
    await expect(failing).rejects.toThrow("a1");
    work.finish("a2");
    expect(await next).toBe("a2");
  });
});
