import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { endProcesses, inDirectory } from "../harness/process.ts";
import type { Order } from "./attacker.ts";
import { attacks } from "./attacks.ts";
import { callHonestly, type Met } from "./honest.ts";
import { makeAbusePlace } from "./place.ts";
import { type AbusedService, type Peak, startAbused } from "./service.ts";

export interface AbuseOptions {
  /** Milliseconds of abuse. */
  readonly abuseMs: number;
  /** Milliseconds before it and after it. */
  readonly quietMs: number;
  /** Which abuses; left out, all of them. */
  readonly names?: readonly string[];
}

export interface AbuseReport {
  readonly before: Met;
  readonly during: Met;
  readonly after: Met;
  readonly peak: Peak;
  readonly outcomes: ReadonlyMap<string, number>;
  readonly defects: readonly string[];
}

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
  { abuseMs, quietMs, names = Object.keys(attacks) }: AbuseOptions,
): Promise<AbuseReport> {
  const { url, owner, outcomes, defects } = service;
  const place = await makeAbusePlace(url, owner);
  await callHonestly(url, owner, quietMs / 4);
  const before = await callHonestly(url, owner, quietMs);
  const attacker = fork(join(import.meta.dirname, "attacker.ts"));
  const over = once(attacker, "exit");
  attacker.send({ place, names } satisfies Order);
  await pause(Math.min(gatheringMs, abuseMs / 4));
  const during = await callHonestly(url, owner, abuseMs);
  const peak = await service.peak();
  attacker.disconnect();
  await over;
  const after = await callHonestly(url, owner, quietMs);
  return { before, during, after, peak, outcomes, defects };
}
