import { expect, test } from "@jest/globals";
import { sandboxLimits } from "../../src/actions/limits.ts";
import { startThread } from "../../src/actions/thread.ts";
import { megabytesOf } from "../harness/heap.ts";
import { ample } from "./given.ts";

const given = {
  ...{ context: {}, effects: [], seed: [1, 2, 3, 4], names: [] },
  ...{ logLines: 1, logCharacters: 20_000 },
};
const job = {
  ...{ name: "greet", given: JSON.stringify(given), timeoutMs: ample, isDry: true },
  script: `function greet() { console.log("x".repeat(10_000)); }`,
  ...{ effectsCharacters: 20_000, logCharacters: 20_000 },
};

const limits = { ...sandboxLimits, startMs: ample, askCharacters: 0 };
const start = () => startThread(limits, { onEnd: () => {}, mayEnd: () => false });

test("runs that stay in memory: a thread keeps nothing of what it has run", async () => {
  const thread = start();
  const run = async (times: number) => {
    for (let i = 0; i < times; i += 1) expect((await thread.run(job)).log).toHaveLength(10_004);
    return thread;
  };
  await run(50);
  const kept = await megabytesOf(() => run(1_000));
  await thread.end();
  expect(kept).toBeLessThan(2);
});

test("runs that stay in memory: one whose thread ends is given up, as the next", async () => {
  const thread = start();
  const script = "function greet() { for (;;); }";
  const running = thread.run({ ...job, script });
  await thread.end();
  const ended = [(await running).problem, (await thread.run(job)).problem];
  expect(ended.map((problem) => problem !== undefined)).toEqual([true, true]);
});
