import { afterEach, describe, expect, test } from "@jest/globals";
import type { SandboxLimits } from "../../src/actions/limits.ts";
import { type Greeting, givenSandbox, telling, toldBy } from "./given.ts";

/** How much a run may be told, answer and take: at each limit, and one past it. */

let sandbox: Greeting | undefined;
afterEach(() => sandbox?.close());

async function run(limits: Partial<SandboxLimits>, script: string, more = {}) {
  await sandbox?.close();
  sandbox = givenSandbox(limits);
  return await sandbox.greet(script, more);
}

const classOf = async (...given: Parameters<typeof run>) =>
  (await run(...given)).problem?.errorClass;

/** A script that sets so many claims. */
const claims = (count: number) =>
  `function greet(c, api) { for (let i = 0; i < ${count}; i += 1) api.v1.claims.setClaim("a" + i, i); }`;
/** A list in a list, so many deep. */
const nested = (depth: number) =>
  telling(`(() => { let a = 1; for (let i = 0; i < ${depth}; i += 1) a = [a]; return a; })()`);
/** A script that logs so many lines of so many letters. */
const logging = (lines: number, letters = 1) =>
  `function greet() { for (let i = 0; i < ${lines}; i += 1) console.log("a".repeat(${letters})); }`;

describe("what an action is told", () => {
  test("has contextCharacters at most", async () => {
    const limits = { contextCharacters: 100 };
    const context = (letters: number) => ({ context: { a: "a".repeat(letters) } });
    expect(toldBy(await run(limits, telling("ctx.a.length"), context(92)))).toBe(92);
    expect(await classOf(limits, telling("1"), context(93))).toBe("ContextTooLarge");
  });
});

describe("what an action answers", () => {
  test("has as many effects as it may", async () => {
    expect((await run({ effects: 3 }, claims(3))).effects).toHaveLength(3);
    expect(await classOf({ effects: 3 }, claims(4))).toBe("InvalidEffects");
  });

  test("has effectsBytes at most", async () => {
    // What is around a value, two of these for the quotes of a text.
    const around = '[{"kind":"setClaim","name":"told","value":""}]'.length;
    const limits = { effectsBytes: around + 10 };
    expect(toldBy(await run(limits, telling("'ü'.repeat(5)")))).toBe("üüüüü");
    expect(await classOf(limits, telling("'ü'.repeat(5) + 'a'"))).toBe("InvalidEffects");
    expect(await classOf(limits, telling("'a'.repeat(11)"))).toBe("InvalidEffects");
  });

  test("is effectDepth deep at most", async () => {
    expect(await classOf({ effectDepth: 3 }, nested(3))).toBeUndefined();
    expect(await classOf({ effectDepth: 3 }, nested(4))).toBe("InvalidEffects");
  });

  test("has names of 1 to effectNameCharacters", async () => {
    const limits = { effectNameCharacters: 5 };
    const named = (name: string) =>
      `function greet(c, api) { api.v1.claims.setClaim(${JSON.stringify(name)}, 1); }`;
    expect(await classOf(limits, named("😀".repeat(5)))).toBeUndefined();
    expect(await classOf(limits, named("😀".repeat(6)))).toBe("InvalidEffects");
    expect(await classOf(limits, named("a"))).toBeUndefined();
    expect(await classOf(limits, named(""))).toBe("InvalidEffects");
  });

  test("has logLines at most, and loses the others", async () => {
    expect((await run({ logLines: 3 }, logging(3))).log).toHaveLength(3);
    const { log, problem } = await run({ logLines: 3 }, logging(4));
    expect([log.length, problem]).toEqual([3, undefined]);
  });

  test("has lines of logCharacters together, and loses the others", async () => {
    // As JSON: brackets, quotes and a comma between.
    const limits = { logCharacters: 2 + 12 + 1 + 12 + 1 };
    expect((await run(limits, logging(2, 10))).log).toHaveLength(2);
    expect(
      (await run({ logCharacters: limits.logCharacters - 2 }, logging(2, 10))).log,
    ).toHaveLength(1);
  });

  test("has messageCharacters of a message", async () => {
    const limits = { messageCharacters: 10 };
    const throwing = (letters: number) => `throw new Error("a".repeat(${letters}));`;
    expect((await run(limits, throwing(10))).problem?.message).toHaveLength(10);
    expect((await run(limits, throwing(11))).problem?.message).toHaveLength(10);
  });
});

describe("what an action takes", () => {
  test("has memoryBytes", async () => {
    const script = "function greet() { new Uint8Array(3_000_000); }";
    expect(await classOf({ memoryBytes: 4_000_000 }, script)).toBeUndefined();
    expect(await classOf({ memoryBytes: 3_000_000 }, script)).toBe("OutOfMemory");
  });

  test("has stackBytes", async () => {
    const script =
      "function greet() { (function deeper(left) { if (left > 0) deeper(left - 1); })(200); }";
    expect(await classOf({ stackBytes: 262_144 }, script)).toBeUndefined();
    expect(await classOf({ stackBytes: 20_000 }, script)).toBe("RangeError");
  });
});
