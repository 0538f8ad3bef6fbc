import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { makeCluster, runOn } from "../../test/harness/postgres-cluster.ts";
import type { StartChild } from "../child.ts";
import type { Say } from "../rates.ts";
import { verdict } from "../report.ts";
import { type Figures, spreadOf } from "../results.ts";
import type { Size } from "../sizes.ts";
import { brief } from "../table.ts";
import type { NodeAnswers } from "./node.ts";

/** How many appends of the old node wait at a time. */
const inFlight = 8;

/** Milliseconds for which writes pause, at most. */
const pauseMsMax = 2_000;

/** Milliseconds that the old node appends before the new one is started. */
const beforeMs = 1_000;

/**
 * How long writes pause while a node of another revision takes over a log of so many events from
 * one that appends all the time, and how long the new one builds its tables until then.
 */
export async function measureRolling(
  start: StartChild,
  directory: string,
  { rollingEvents }: Pick<Size, "rollingEvents">,
  say: Say,
): Promise<Figures> {
  const place = join(directory, "rolling");
  await mkdir(place);
  const cluster = makeCluster(place);
  await cluster.start();
  try {
    await runOn(cluster.url("postgres"), "CREATE DATABASE iam");
    const url = cluster.url("iam");
    const old = start<NodeAnswers>("postgres/node.ts", { args: [url, "old"] });
    say(`filling a log with ${rollingEvents} events`);
    await old.ask("fill", rollingEvents);
    say("taking over");
    const appending = old.ask("appendUntilRefused", inFlight);
    await pause(beforeMs);
    const fromMs = performance.timeOrigin + performance.now();
    const node = start<NodeAnswers>("postgres/node.ts", { args: [url, "new", "1"] });
    const [, firstMs] = await node.ask("append");
    const { appends, longestMs, lastMs } = await appending;
    say(`${appends} appends meanwhile`);
    const took = {
      [`until a new revision serves ${rollingEvents} events`]: firstMs - fromMs,
      [longest]: longestMs,
      [paused]: firstMs - lastMs,
    };
    const spreads = Object.entries(took).map(([what, ms]) => [what, spreadOf([ms])] as const);
    return { startMs: Object.fromEntries(spreads) };
  } finally {
    await cluster.kill();
  }
}

const longest = "the longest that an append waited meanwhile";
const paused = "from the last append of the old node to the first of the new one";

/** What it comes to, for people. */
export function showRolling({ startMs = {} }: Figures): string {
  return Object.entries(startMs)
    .map(([what, { median }]) =>
      [longest, paused].includes(what)
        ? verdict(`${what} at most ${pauseMsMax} ms`, `${brief(median)} ms`, median <= pauseMsMax)
        : `${what}: ${brief(median)} ms`,
    )
    .join("\n");
}
