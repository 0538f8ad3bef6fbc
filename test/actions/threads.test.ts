import { readdirSync } from "node:fs";
import { getPriority } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type SandboxLimits, sandboxLimits } from "../../src/actions/limits.ts";
import type { Job } from "../../src/actions/machine.ts";
import { startThread } from "../../src/actions/thread.ts";
import { ample, type Greeting, givenSandbox, telling, toldBy } from "./given.ts";

/** How runs wait for threads, and how threads end. */

const forEver = "for (;;);";

describe("a sandbox", () => {
  let sandbox: Greeting;
  let hogs: Promise<unknown>[];
  beforeEach(() => {
    hogs = [];
  });
  afterEach(async () => {
    await sandbox.close();
    await Promise.all(hogs);
  });

  function given(limits: Partial<SandboxLimits>): void {
    sandbox = givenSandbox(limits);
  }
  /** Runs that last until the sandbox is closed. */
  const hog = (organization: string, count = 1) => {
    for (let i = 0; i < count; i += 1) hogs.push(sandbox.greet(forEver, { organization }));
  };
  const greet = (organization: string, timeoutMs = ample) =>
    sandbox.greet(telling("1"), { organization, timeoutMs });

  test("keeps half of its threads from each organization", async () => {
    given({ threads: 2, waitMs: 500 });
    hog("a");
    expect((await greet("a")).problem?.errorClass).toBe("Busy");
    expect(toldBy(await greet("b"))).toBe(1);
  });

  test("has so many threads, and no more", async () => {
    given({ threads: 3, waitMs: 500 });
    for (const organization of ["a", "b", "c"]) hog(organization);
    expect((await greet("d")).problem?.errorClass).toBe("Busy");
  });

  test("keeps one of three or more threads for those that are prompt", async () => {
    given({ threads: 3, waitMs: 500 });
    await Promise.all([greet("c"), greet("d")]);
    for (const organization of ["a", "b"]) hog(organization);
    expect((await greet("e")).problem?.errorClass).toBe("Busy");
    expect(toldBy(await greet("d"))).toBe(1);
    hog("c");
    expect((await greet("d")).problem?.errorClass).toBe("Busy");
  });

  test("keeps none for one that is prompt no more", async () => {
    given({ threads: 3, waitMs: 500, debtMs: 400 });
    await greet("d");
    await sandbox.greet(forEver, { organization: "d", timeoutMs: 600 });
    for (const organization of ["a", "b"]) hog(organization);
    expect((await greet("d")).problem?.errorClass).toBe("Busy");
  });

  test("lets as many wait that are not prompt, and refuses one more at once", async () => {
    given({ threads: 3, waiting: 1 });
    for (const organization of ["a", "b", "c"]) hog(organization);
    expect((await greet("d")).problem?.errorClass).toBe("Busy");
  });

  test("lets waitingOfOrganization wait, and refuses one more at once", async () => {
    given({ threads: 2, waitingOfOrganization: 2 });
    hog("a", 3);
    expect((await greet("a")).problem).toMatchObject({ errorClass: "Busy" });
    expect(toldBy(await greet("b"))).toBe(1);
  });

  test("lets as many wait as may, of all together, and refuses one more at once", async () => {
    given({ threads: 2, waiting: 2 });
    for (const organization of ["a", "b", "c", "d"]) hog(organization);
    expect((await greet("e")).problem).toMatchObject({ errorClass: "Busy" });
  });

  test("begins what has waited for less than waitMs", async () => {
    given({ threads: 2, waitMs: ample });
    const first = sandbox.greet(forEver, { organization: "a", timeoutMs: 300 });
    expect(toldBy(await greet("a"))).toBe(1);
    expect((await first).problem?.errorClass).toBe("Timeout");
  });

  test("ends what runs when it is closed, and begins nothing more", async () => {
    given({ threads: 2 });
    const running = sandbox.greet(forEver);
    const waiting = sandbox.greet(telling("1"));
    await pause(100);
    await sandbox.close();
    expect((await running).problem?.errorClass).toBe("Failed");
    expect((await waiting).problem?.errorClass).toBe("Busy");
    expect((await greet("b")).problem?.errorClass).toBe("Busy");
  });

  test("keeps the last of its threads, which would take long to start again", async () => {
    given({ threads: 2, idleMs: 10, briefMs: ample });
    let started = 0;
    const count = () => {
      started += 1;
    };
    process.on("worker", count);
    const both = () => Promise.all([greet("a"), greet("b")]);
    await both();
    await pause(200);
    expect(toldBy(await greet("a"))).toBe(1);
    expect(started).toBe(2);
    await both();
    process.off("worker", count);
    expect(started).toBe(3);
  });

  test("runs nothing any more that nobody waits for", async () => {
    given({ threads: 2 });
    hog("a");
    const hangUp = new AbortController();
    const { signal } = hangUp;
    const waiting = sandbox.greet(forEver, { organization: "a", signal });
    const running = sandbox.greet(forEver, { organization: "b", signal });
    await pause(500);
    hangUp.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    await expect(running).rejects.toThrow("gone");
    expect(toldBy(await greet("b"))).toBe(1);
    await expect(sandbox.greet(telling("1"), { signal })).rejects.toThrow("gone");
  });

  test("goes on with another thread after one had to end", async () => {
    given({ threads: 2 });
    const script = "[].reverse.call({ length: 2 ** 53 - 1 });";
    const { problem } = await sandbox.greet(script, { timeoutMs: 50 });
    expect(problem?.errorClass).toBe("Timeout");
    expect(toldBy(await greet("one"))).toBe(1);
  });
});

/** Only Linux has priorities of threads, which are looked at there; elsewhere these are skipped. */
const describeOnLinux = process.platform === "linux" ? describe : describe.skip;

const job = (script: string, timeoutMs = ample): Job => ({
  ...{ name: "greet", script, timeoutMs, isDry: true },
  ...{ effectsCharacters: 1_000, logCharacters: 1_000 },
  given: '{"context":{},"effects":[],"seed":[1,2,3,4],"names":[],"logLines":1,"logCharacters":100}',
});
const honest = job("function greet() {}");
const start = (limits: Partial<SandboxLimits> = {}, mayEnd = true) => {
  const ended = Promise.withResolvers<void>();
  const all = { ...sandboxLimits, startMs: ample, askCharacters: 0, ...limits };
  const end = { onEnd: ended.resolve, mayEnd: () => mayEnd };
  return { ...startThread(all, end), ended: ended.promise };
};

describe("a thread", () => {
  test("ends by itself once it has had nothing to do for idleMs", async () => {
    const thread = start({ idleMs: 10 });
    expect((await thread.run(honest)).problem).toBeUndefined();
    // Nothing else keeps this test waiting.
    const alive = setTimeout(() => {}, ample);
    await thread.ended;
    clearTimeout(alive);
    expect(thread.isUsable()).toBe(false);
  });

  test("stays where it may not end", async () => {
    const thread = start({ idleMs: 10 }, false);
    await thread.run(honest);
    await pause(100);
    expect([(await thread.run(honest)).problem, thread.isUsable()]).toEqual([undefined, true]);
    await thread.end();
  });

  test("runs one job after another before that", async () => {
    const thread = start({ idleMs: ample });
    for (let i = 0; i < 3; i += 1) expect((await thread.run(honest)).problem).toBeUndefined();
    expect(thread.isUsable()).toBe(true);
    const ending = thread.end();
    expect(thread.isUsable()).toBe(false);
    await ending;
    expect((await thread.run(honest)).problem?.errorClass).toBe("Failed");
  });

  test("is given up where it has not started within startMs", async () => {
    const thread = start({ startMs: 1 });
    const { problem } = await thread.run(honest);
    expect(problem).toMatchObject({ errorClass: "Failed" });
    await thread.ended;
  });

  test("lives on where its run is stopped and yields, and begins anew", async () => {
    // A run that goes on ends its thread then, and the next run fails before the test is too late.
    const thread = start({ graceMs: 15_000 });
    for (let round = 0; round < 5; round += 1) {
      const hangUp = new AbortController();
      const running = thread.run(job(forEver), { signal: hangUp.signal });
      await pause(200);
      hangUp.abort();
      expect((await running).problem?.errorClass).toBe("Timeout");
      expect((await thread.run(honest)).problem).toBeUndefined();
    }
    await thread.end();
  });

  test("ends with a run that is stopped and does not yield", async () => {
    const thread = start({ graceMs: 10 });
    await thread.run(honest);
    const hangUp = new AbortController();
    const running = thread.run(job("[].reverse.call({ length: 2 ** 53 - 1 });"), hangUp);
    await pause(100);
    hangUp.abort();
    expect((await running).problem?.errorClass).toBe("Timeout");
    await thread.ended;
  });

  test("lives on where its run ends within graceMs", async () => {
    const thread = start({ graceMs: ample });
    const { problem } = await thread.run(job(forEver, 50));
    expect([problem?.errorClass, thread.isUsable()]).toEqual(["Timeout", true]);
    await thread.end();
  });

  test("ends with a run that does not end within graceMs", async () => {
    const thread = start({ graceMs: 10 });
    const { problem, durationMs } = await thread.run(
      job("[].reverse.call({ length: 2 ** 53 - 1 });", 50),
    );
    expect([problem?.errorClass, thread.isUsable()]).toEqual(["Timeout", false]);
    expect(durationMs).toBeGreaterThanOrEqual(60);
    await thread.ended;
  });
});

describeOnLinux("a thread gives way to all others", () => {
  const threadsHere = () => readdirSync("/proc/self/task");
  let before: readonly string[];
  beforeEach(() => {
    before = threadsHere();
  });
  /** Whether a thread that this test has started has the lowest priority. */
  const hasLow = () =>
    threadsHere().some((one) => !before.includes(one) && getPriority(Number(one)) === 19);
  const looping = (ms: number) => job("for (;;);", ms);

  test("for good, after a run that took briefMs", async () => {
    const thread = start({ briefMs: 50, graceMs: ample });
    await thread.run(honest);
    expect([thread.isLow(), hasLow()]).toEqual([false, false]);
    await thread.run(looping(1_000));
    await thread.run(honest);
    expect([thread.isLow(), hasLow()]).toEqual([true, true]);
    await thread.end();
  });

  test("after no run that took less, however long it lasted", async () => {
    const thread = start({ briefMs: 5_000, graceMs: ample });
    await thread.run(looping(300));
    expect(thread.isLow()).toBe(false);
    await thread.end();
  });

  test("at once where the run is a slow organization's", async () => {
    const thread = start();
    await thread.run(honest, { isSlow: true });
    expect(thread.isLow()).toBe(true);
    await thread.end();
  });

  test("and those that are prompt get another one, while others get it", async () => {
    const sandbox = givenSandbox({ threads: 3, briefMs: 80, debtMs: 400, graceMs: ample });
    let started = 0;
    const count = () => {
      started += 1;
    };
    process.on("worker", count);
    const greet = (organization: string) => sandbox.greet(telling("1"), { organization });
    await greet("prompt");
    await sandbox.greet(forEver, { organization: "slow", timeoutMs: 1_000 });
    expect(started).toBe(1);
    await greet("prompt");
    expect(started).toBe(2);
    await greet("slow");
    await greet("prompt");
    process.off("worker", count);
    await sandbox.close();
    expect(started).toBe(2);
  });
});
