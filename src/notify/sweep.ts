import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isErased } from "../store/erasure.ts";
import type { Store } from "../store/store.ts";
import type { Log } from "./carry.ts";
import { nameFailure } from "./channel.ts";

/** Milliseconds for which messages lie in the outbox: 7 days, longer than any code is valid. */
export const outboxKeptMs = 7 * 24 * 60 * 60 * 1_000;

/** Milliseconds between two looks into the outbox. */
const sweepIntervalMs = 60 * 60 * 1_000;

/** The outbox, and what it is looked into with. */
export interface SweepOptions {
  readonly directory: string;
  /** The log, whose events asked for the messages. */
  readonly store: Pick<Store, "readAll">;
  readonly now: () => number;
  readonly log: Pick<Log, "warn">;
}

/**
 * Removes from the outbox, now and every hour, what was written more than a week ago, and what was
 * for somebody who was erased since. Resolves after the first time, with what ends it; a failure is
 * logged.
 */
export async function startSweeping(options: SweepOptions): Promise<() => void> {
  await sweep(options);
  const timer = setInterval(() => void sweep(options), sweepIntervalMs).unref();
  return () => clearInterval(timer);
}

async function sweep({ directory, store, now, log }: SweepOptions): Promise<void> {
  try {
    for (const name of await namesIn(directory)) {
      const path = join(directory, name);
      // Another process may have been there first.
      const { mtimeMs } = (await stat(path).catch(() => undefined)) ?? { mtimeMs: now() };
      const isOver = mtimeMs < now() - outboxKeptMs || (await isOfErased(name, store));
      if (isOver) await rm(path, { force: true });
    }
  } catch (error) {
    log.warn({ problem: nameFailure(error) }, "the outbox cannot be cleaned up");
  }
}

/** Whether the event that asked for a message was erased; its position begins the name. */
async function isOfErased(name: string, store: SweepOptions["store"]): Promise<boolean> {
  const position = BigInt(/\d+/.exec(name)?.[0] ?? 0);
  const [event] = await store.readAll(position - 1n, 1);
  return event?.position === position && isErased(event);
}

/** The files of messages, and of messages that were not finished; none without the directory. */
async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    const names = await readdir(directory);
    return names.filter((name) => /^\.?\d+-[a-z]+\.(?:eml|sms\.txt)/i.test(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
