import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { endProcesses, inDirectory } from "../harness/process.ts";
import type { Done, Order } from "./attacker.ts";
import { attacks } from "./attacks.ts";
import type { CallOrder } from "./caller.ts";
import type { Met } from "./honest.ts";
import { makeAbusePlace } from "./place.ts";
import { type AbusedService, type Peak, startAbused } from "./service.ts";

export interface AbuseOptions {
  /** Milliseconds of abuse. */
  readonly abuseMs: number;
  /** Milliseconds before it and after it. */
  readonly quietMs: number;
  /** Whether it goes on as long again, by what came of calls so far; left out, it does not. */
  readonly goesOn?: (outcomes: AbuseReport["outcomes"]) => boolean;
  /** Which abuses; left out, all of them. */
  readonly names?: readonly string[];
}

export interface AbuseReport {
  readonly before: Met;
  readonly during: Met;
  readonly after: Met;
  /** While it was abused, and until the end: what was opened is closed all at once. */
  readonly peak: Peak;
  /** What the files of the service grew by, from before it was abused to the end. */
  readonly growthMiB: number;
  readonly done: Done;
  /** The part of the full pace at which it was abused. */
  readonly pace: number;
  readonly outcomes: ReadonlyMap<string, number>;
  readonly defects: readonly string[];
}

/** MiB that may be resident, and by which the files may grow: most of that is begun logins. */
export const abuseLimits = { residentMiB: 512, growthMiB: 384 } as const;

/**
 * Milliseconds in which half of the calls are answered, before the abuse, where its pace is full.
 * A slower machine is abused more slowly: else what fails is the machine.
 */
const fullPaceMs = 5;

/** Milliseconds that abusers have to open what they open, before honest callers are looked at. */
const gatheringMs = 1_000;

/** Abuses a service of its own while honest callers work, and says what they met. */
export async function abuse(options: AbuseOptions): Promise<AbuseReport> {
  try {
    return await inDirectory((directory) => abuseIn(directory, options));
  } finally {
    await endProcesses();
  }
}

async function abuseIn(directory: string, options: AbuseOptions): Promise<AbuseReport> {
  const service = await startAbused(directory);
  const ended = service.process.ended.then(({ code, signal }) => {
    throw new Error(`the service ended with ${code ?? signal}: ${service.lastWords()}`);
  });
  ended.catch(() => {});
  return await Promise.race([ended, abuseService(service, options)]);
}

async function abuseService(
  service: AbusedService,
  { abuseMs, quietMs, goesOn = () => false, names = Object.keys(attacks) }: AbuseOptions,
): Promise<AbuseReport> {
  const { url, owner, outcomes, defects } = service;
  const place = await makeAbusePlace(url, owner);
  const caller = fork(join(import.meta.dirname, "caller.ts"));
  const attacker = fork(join(import.meta.dirname, "attacker.ts"));
  try {
    const callHonestly = async (forMs: number) => {
      caller.send({ url, token: owner, forMs } satisfies CallOrder);
      return (await answerOf(caller)) as Met;
    };
    await callHonestly(quietMs / 4);
    const before = await callHonestly(quietMs);
    const peak = service.watchPeak();
    const bytes = await service.fileBytes();
    const pace = Math.min(1, fullPaceMs / before.p50Ms);
    attacker.send({ place, names, pace } satisfies Order);
    await pause(Math.min(gatheringMs, abuseMs / 4));
    let during = await callHonestly(abuseMs);
    while (during.failures.length === 0 && goesOn(outcomes)) during = await callHonestly(abuseMs);
    attacker.send("stop");
    const done = (await answerOf(attacker)) as Done;
    const after = await callHonestly(quietMs);
    const growthMiB = ((await service.fileBytes()) - bytes) / 1024 ** 2;
    const reached = { peak: await peak(), growthMiB, done, pace };
    return { before, during, after, ...reached, outcomes, defects };
  } finally {
    for (const child of [caller, attacker]) child.kill("SIGKILL");
  }
}

/** The next thing that a process says. */
async function answerOf(child: ChildProcess): Promise<unknown> {
  const over = new AbortController();
  const { signal } = over;
  const ended = once(child, "exit", { signal }).then(([code, by]) => {
    throw new Error(`a process of the abuse ended with ${code ?? by}`);
  });
  const [said] = await Promise.race([once(child, "message", { signal }), ended]);
  over.abort();
  ended.catch(() => {});
  return said;
}
