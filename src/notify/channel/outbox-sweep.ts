import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { registerLimits } from "../../domain/registration/pending.ts";
import type { RecordedEvent } from "../../event.ts";
import { isErased } from "../../store/erasure.ts";
import type { Store } from "../../store/store.ts";
import { nameFailure } from "./channel.ts";

/** Milliseconds for which messages lie in the outbox: 7 days, longer than any code is valid. */
export const outboxKeptMs = 7 * 24 * 60 * 60 * 1_000;

/** Milliseconds between two looks into the outbox. */
const sweepIntervalMs = 60 * 60 * 1_000;

/** The outbox, and what it is looked into with. */
export interface SweepOptions {
  /** The directory. */
  readonly outbox: string;
  /** The log, whose events asked for the messages. */
  readonly store: Pick<Store, "readAll">;
  /** Has the function called whenever somebody was erased. */
  readonly listen: (heard: () => void) => void;
  readonly now: () => number;
  readonly log: { warn(members: object, text: string): void };
}

/**
 * Removes from the outbox what was written more than a week ago, mails of registrations whose code
 * is no longer valid, and what was for somebody who was erased since: now, every hour, and whenever
 * somebody was erased. Resolves after the first time, with what ends it and resolves once the last
 * look is done; a failure is logged.
 */
export async function startSweeping({
  listen,
  ...options
}: SweepOptions): Promise<() => Promise<void>> {
  let looking: Promise<void> | undefined;
  let isToLook = false;

  async function lookWhileAsked(): Promise<void> {
    while (isToLook) {
      isToLook = false;
      await look(options);
    }
    looking = undefined;
  }
  /** Of all who ask during a look, one more look sees what each of them asks for. */
  function sweep(): Promise<void> {
    isToLook = true;
    looking ??= lookWhileAsked();
    return looking;
  }

  listen(sweep);
  await sweep();
  const timer = setInterval(sweep, sweepIntervalMs).unref();
  return async () => {
    clearInterval(timer);
    await looking;
  };
}

async function look({ outbox, store, now, log }: Omit<SweepOptions, "listen">): Promise<void> {
  try {
    for (const name of await namesIn(outbox)) {
      const path = join(outbox, name);
      // Another process may have been there first.
      const { mtimeMs } = (await stat(path).catch(() => undefined)) ?? { mtimeMs: now() };
      const ageMs = now() - mtimeMs;
      // By its age first: an event that cannot be read keeps nothing for longer.
      const isOver = ageMs > outboxKeptMs || isGone(await eventOf(name, store), ageMs);
      if (isOver) await rm(path, { force: true });
    }
  } catch (error) {
    log.warn({ problem: nameFailure(error) }, "the outbox cannot be cleaned up");
  }
}

/** Who registers is nobody yet whom an erasure could name: that mail goes with its code. */
function isGone(event: RecordedEvent | undefined, ageMs: number): boolean {
  if (event?.type === "registration.requested" && ageMs > registerLimits.codeMs) return true;
  return event !== undefined && isErased(event);
}

/** Whether the event that asked for a new message was erased. */
export async function isOfErased(name: string, store: Pick<Store, "readAll">): Promise<boolean> {
  return isGone(await eventOf(name, store), 0);
}

/** The event that asked for a message; its position begins the name. */
async function eventOf(
  name: string,
  store: Pick<Store, "readAll">,
): Promise<RecordedEvent | undefined> {
  const position = BigInt(/\d+/.exec(name)?.[0] ?? 0);
  const [event] = await store.readAll(position - 1n, 1);
  return event?.position === position ? event : undefined;
}

/**
 * The files of messages, those that were not finished, and those of programs that named them
 * without the digest; none without the directory.
 */
async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    const names = await readdir(directory);
    return names.filter((name) => /^\.?\d+-[a-z]+(?:\.[\da-f]+)?\.(?:eml|sms\.txt)/i.test(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
