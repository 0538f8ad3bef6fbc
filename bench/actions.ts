import { randomBytes } from "node:crypto";
import type { Run } from "../src/actions/run.ts";
import { createSandbox, type Sandbox } from "../src/actions/sandbox.ts";
import { attackRatio } from "./action-attack.ts";
import { tokenNames } from "./action-tokens.ts";
import { type Case, measureCases, type Rates, rowsOf, type Sample, type Say } from "./rates.ts";
import { rateTable, verdict } from "./report.ts";
import type { Figures } from "./results.ts";
import type { Pace } from "./sizes.ts";
import { brief } from "./table.ts";

/** Milliseconds that a token may take longer at the median where an action sets a claim. */
const promisedMs = 5;
/** How much longer logins may take beside scripts that do not end, by their p99. */
const attackRatioMax = 3;

const context = { v1: { claims: { sub: "1", email: "ada@example.com" }, user: { id: "1" } } };
const timeoutMs = 10_000;
const honest: Run = {
  ...{ name: "greet", organization: "one", timeoutMs, context, api: ["setClaim"] },
  script: "function greet(ctx, api) { api.v1.claims.setClaim('plan', ctx.v1.claims.email); }",
};
/** What another organization runs meanwhile: it takes its time until it is interrupted. */
const greedy: Run = { ...honest, organization: "other", script: "for (;;);", timeoutMs: 200 };

const names = {
  alone: "an action that sets a claim",
  beside: "the same beside scripts of another organization that never end",
} as const;

/** How long the run of an action takes, alone and beside scripts that take all they may. */
export async function measureActions(pace: Pace, say: Say): Promise<Rates> {
  const sandbox = createSandbox({ random: randomBytes });
  const cases: readonly Case[] = [
    { name: names.alone, inFlight: 1, measure: (each) => measureRuns(sandbox, each) },
    { name: names.beside, inFlight: 1, measure: (each) => measureBesideGreed(sandbox, each) },
  ];
  try {
    await sandbox.run(honest);
    return { rows: rowsOf(cases, await measureCases(cases, pace, say)), ratios: {} };
  } finally {
    await sandbox.close();
  }
}

async function measureRuns(sandbox: Sandbox, { warmUpMs, measureMs }: Pace): Promise<Sample> {
  await runsOf(sandbox, warmUpMs);
  const before = process.cpuUsage();
  const times = (await runsOf(sandbox, measureMs)).toSorted((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  const { user, system } = process.cpuUsage(before);
  const cpuMicros = (user + system) / times.length;
  return { rate: (times.length * 1_000) / measureMs, p50Ms: at(0.5), p99Ms: at(0.99), cpuMicros };
}

async function measureBesideGreed(sandbox: Sandbox, pace: Pace): Promise<Sample> {
  let isOver = false;
  const greed = [1, 2, 3, 4].map(async () => {
    while (!isOver) await sandbox.run(greedy);
  });
  const sample = await measureRuns(sandbox, pace);
  isOver = true;
  await Promise.all(greed);
  return sample;
}

/** Milliseconds of each run, one after the other, for so long. */
async function runsOf(sandbox: Sandbox, forMs: number): Promise<readonly number[]> {
  const times: number[] = [];
  const untilMs = performance.now() + forMs;
  for (let beginMs = performance.now(); beginMs < untilMs; beginMs = performance.now()) {
    const { problem } = await sandbox.run(honest);
    if (problem !== undefined) throw new Error(`a run failed: ${problem.errorClass}`);
    times.push(performance.now() - beginMs);
  }
  return times;
}

/** The figures for people. */
export function showActions({ rows = [], ratios = {} }: Figures): string {
  const p50 = (name: string) => rows.find((row) => row.name === name)?.p50Ms.median ?? Number.NaN;
  const moreMs = p50(tokenNames.with) - p50(tokenNames.without);
  const kept = verdict(
    `${promisedMs} ms more at most for a token with one claim action, at the median`,
    `${moreMs.toFixed(2)} ms`,
    moreMs <= promisedMs,
  );
  const ratio = ratios[attackRatio]?.median ?? Number.NaN;
  const held = verdict(
    `${attackRatio} at most ${attackRatioMax}`,
    brief(ratio),
    ratio <= attackRatioMax,
  );
  return [rateTable(rows), kept, held].join("\n\n");
}
