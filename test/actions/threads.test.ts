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

  test("runs on its third thread what two others keep waiting", async () => {
    given({ threads: 3 });
    for (const organization of ["a", "b"]) hog(organization);
    expect(toldBy(await greet("d"))).toBe(1);
  });

  test("lets waitingOfOrganization wait, and refuses one more at once", async () => {
    given({ threads: 2, waitingOfOrganization: 2 });
    hog("a", 3);
    expect((await greet("a")).problem).toMatchObject({ errorClass: "Busy" });
    expect(toldBy(await greet("b"))).toBe(1);
  });

  test("lets as many wait as may, whoever they are, and refuses one more at once", async () => {
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
    given({ threads: 2, idleMs: 10 });
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

  test("goes on with another thread after one had to end", async () => {
    given({ threads: 2 });
    const script = "[].reverse.call({ length: 2 ** 53 - 1 });";
    const { problem } = await sandbox.greet(script, { timeoutMs: 50 });
    expect(problem?.errorClass).toBe("Timeout");
    expect(toldBy(await greet("one"))).toBe(1);
  });
});

describe("a thread", () => {
  const job = (script: string, timeoutMs = ample): Job => ({
    ...{ name: "greet", script, timeoutMs, isDry: true },
    ...{ effectsCharacters: 1_000, logCharacters: 1_000 },
    given:
      '{"context":{},"effects":[],"seed":[1,2,3,4],"names":[],"logLines":1,"logCharacters":100}',
  });
  const honest = job("function greet() {}");
  const start = (limits: Partial<SandboxLimits> = {}, mayEnd = true) => {
    const ended = Promise.withResolvers<void>();
    const all = { ...sandboxLimits, startMs: ample, askCharacters: 0, ...limits };
    const end = { onEnd: ended.resolve, mayEnd: () => mayEnd };
    return { ...startThread(all, end), ended: ended.promise };
  };

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
