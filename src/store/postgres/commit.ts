import { setImmediate as turn } from "node:timers/promises";
import { type Append, type AppendResult, OutcomeUnknown, StoreUnavailable } from "../store.ts";
import { columnsOf, type Sealing } from "./batch.ts";
import { failureOf, sqlStateOf, unavailable } from "./errors.ts";
import { gather } from "./gather.ts";
import { planBatch } from "./quota.ts";
import type { Seen } from "./seen.ts";
import { send, type Target } from "./send.ts";
import { type Done, toldOf } from "./verdict.ts";

interface Waiting {
  readonly append: Append;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: unknown) => void;
  readonly sinceMs: number;
  /** Whether it is tried without others, because one of those it was with is wrong. */
  readonly isAlone?: boolean;
}

/**
 * Makes the queue of appends behind what was seen of the log: those that wait while others are
 * written share the next transaction. One batch is written at a time, by one call; nobody is
 * answered before it is known what became of it.
 */
export function groupCommit(
  { committed, ...target }: Target & { readonly committed: (writes: number) => void },
  sealing: Sealing,
  seen: Seen,
) {
  const { pool, limits } = target;
  const waiting: Waiting[] = [];
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      await turn();
      const count = countTogether(waiting, limits);
      const batch = waiting.splice(0, count);
      try {
        await commit(batch);
      } catch (error) {
        waiting.unshift(...blame(batch, error));
      }
    }
    running = undefined;
  }

  async function commit(batch: readonly Waiting[]): Promise<void> {
    const appends = batch.map(({ append }) => append);
    const planned = await planBatch(pool, appends);
    const columns = columnsOf(planned, sealing);
    const before = seen.end();
    const done: Done = await send(target, { planned, columns }, before);
    // The function writes only where that is there.
    seen.compare(before, before.link);
    seen.note({ position: done.head, link: done.link });
    committed(batch.length);
    const oldestMs = performance.now() - limits.lockMs;
    const late: Waiting[] = [];
    for (const [index, one] of batch.entries()) {
      const told = toldOf(planned, columns, { ...done, index });
      if (told.kind === "result") one.resolve(told.result);
      else if (told.kind === "wrong") told.explain(pool).then(one.reject, one.reject);
      else if (one.sinceMs > oldestMs) late.push(one);
      else one.reject(new StoreUnavailable("Other processes keep changing the same quotas."));
    }
    waiting.unshift(...late);
  }

  return {
    /** Puts the append in the queue. Resolves and rejects as `Store.append` says. */
    submit: (append: Append) =>
      new Promise<AppendResult>((resolve, reject) => {
        if (waiting.length >= limits.waitingAppends) {
          throw new StoreUnavailable(`${waiting.length} appends are waiting already.`);
        }
        waiting.push({ append, resolve, reject, sinceMs: performance.now() });
        running ??= run();
      }),
    /** How many wait. */
    waiting: () => waiting.length,
    /** Resolves when the queue is empty. */
    drain: async () => running,
  };
}

/** How many of those who wait, in order, are written at once. */
function countTogether(waiting: readonly Waiting[], limits: Target["limits"]): number {
  const fits = gather(limits);
  const isFirstAlone = waiting[0]?.isAlone === true;
  const end = waiting.findIndex(
    ({ append, isAlone = false }, i) => (i > 0 && (isAlone || isFirstAlone)) || !fits(append),
  );
  return end < 0 ? waiting.length : end;
}

/** Rejects the appends that failed, or all; answers those that are to be tried again. */
function blame(batch: readonly Waiting[], error: unknown): readonly Waiting[] {
  const isUnknown = error instanceof OutcomeUnknown;
  const isWrong = !isUnknown && failureOf(error) === "wrong";
  if (isWrong && batch.length > 1) return batch.map((one) => ({ ...one, isAlone: true }));
  // What the server says of an append may name what the append holds: its code says enough.
  const refused = () => new Error(`The database refuses an append (${sqlStateOf(error)}).`);
  const told = isUnknown ? error : isWrong ? refused() : unavailable(error);
  for (const { reject } of batch) reject(told);
  return [];
}
