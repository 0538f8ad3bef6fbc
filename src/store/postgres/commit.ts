import { randomUUID } from "node:crypto";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import type { End } from "../chain/chain.ts";
import { type Append, type AppendResult, OutcomeUnknown, StoreUnavailable } from "../store.ts";
import type { Answers } from "./answers.ts";
import { appendCall } from "./append-function.ts";
import { type BatchColumns, columnsOf, type Planned, type Sealing, valuesOf } from "./batch.ts";
import { failureOf, sqlStateOf, unavailable } from "./errors.ts";
import { gather } from "./gather.ts";
import type { PostgresLimits } from "./limits.ts";
import type { Connection, Pool } from "./pool.ts";
import { planBatch } from "./quota.ts";
import { type Told, toldOf } from "./verdict.ts";

/** Appends that wait while others are written share the next transaction. */
export interface GroupCommit {
  /** Puts the append in the queue. Resolves and rejects as `Store.append` says. */
  submit(append: Append): Promise<AppendResult>;
  /** Resolves when the queue is empty. */
  drain(): Promise<void>;
}

/** How a process writes: to which log, by which projection, and how rows are sealed. */
export interface Written extends Sealing {
  readonly log: string;
  readonly revision: number;
  /** The end of the log when it was opened. */
  readonly end: End;
}

/** What a batch came to. */
interface Done {
  readonly replayed: boolean;
  readonly verdicts: readonly number[];
  readonly whiches: readonly number[];
  readonly firsts: readonly bigint[];
  readonly head: bigint;
  readonly link: Uint8Array;
}

interface Waiting {
  readonly append: Append;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: unknown) => void;
  readonly sinceMs: number;
  /** Whether it is tried without others, because one of those it was with is wrong. */
  readonly isAlone?: boolean;
}

/** One append of a batch has thrown what is its own fault. */
class Culprit extends Error {
  readonly index: number;

  constructor(index: number, cause: unknown) {
    super("one append is to blame", { cause });
    this.index = index;
  }
}

/**
 * Makes the queue of appends. One batch is written at a time, by one call. Nobody is answered before
 * it is known what became of it: where that is not, because the connection was lost, the same batch
 * is sent again until it is, and what was written is not written again.
 */
export function groupCommit(
  pool: Pool,
  written: Written,
  limits: PostgresLimits,
  answers: Answers,
): GroupCommit {
  const waiting: Waiting[] = [];
  let seen = written.end;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      await turn();
      const batch = takeBatch();
      try {
        await commit(batch);
      } catch (error) {
        blame(batch, error);
      }
    }
    running = undefined;
  }

  function takeBatch(): Waiting[] {
    const gathering = gather(limits);
    const end = waiting.findIndex(
      ({ append, isAlone = false }, i) => (isAlone && i > 0) || !gathering.add(append),
    );
    if (waiting[0]?.isAlone) return waiting.splice(0, 1);
    return waiting.splice(0, end < 0 ? waiting.length : end);
  }

  async function commit(batch: readonly Waiting[]): Promise<void> {
    const planned = await planBatch(
      pool,
      batch.map(({ append }) => append),
    );
    const columns = columnsOf(planned, written);
    const done = await settle(() => send(planned, columns));
    seen = { position: done.head, link: done.link };
    const late: Waiting[] = [];
    for (const [i, one] of batch.entries()) {
      const told = toldOf(planned, columns, { ...done, index: i });
      if (told.kind === "again") late.push(one);
      else if (told.kind === "wrong") one.reject(await told.explain(pool));
      else one.resolve(told.result);
    }
    const oldestMs = performance.now() - limits.lockMs;
    for (const { reject } of late.filter(({ sinceMs }) => sinceMs <= oldestMs)) {
      reject(new StoreUnavailable("Others use the same quotas all the time."));
    }
    waiting.unshift(...late.filter(({ sinceMs }) => sinceMs > oldestMs));
  }

  /** Sends the same batch until it is known what became of it. */
  function send(planned: readonly Planned[], columns: BatchColumns): () => Promise<Done> {
    const batch = randomUUID();
    const values = valuesOf(columns, {
      ...{ batch, log: written.log, revision: written.revision, now: columns.nowMs },
      ...{ seen_position: seen.position, seen_link: seen.link },
      ...{ lock_ms: limits.lockMs, commands: planned.length },
    });
    const call = async (connection: Connection) => {
      const [done] = await connection.query<Done>(appendCall, values);
      if (done === undefined) throw new Error("the function answers nothing");
      return done;
    };
    if (planned.every(({ append }) => append.remember === undefined)) return () => pool.using(call);
    return () =>
      pool.transaction("BEGIN ISOLATION LEVEL READ COMMITTED", async (connection) => {
        const done = await call(connection);
        if (!done.replayed) await answers.keep(connection, keptOf(planned, columns, done));
        return done;
      });
  }

  function keptOf(planned: readonly Planned[], columns: BatchColumns, done: Done) {
    return planned.flatMap(({ append }, index) => {
      const told: Told = toldOf(planned, columns, { ...done, index });
      const isAppended = told.kind === "result" && told.result.kind === "appended";
      if (!isAppended || append.remember === undefined) return [];
      const { actor, timeMs, remember } = append;
      try {
        return [{ actor, timeMs, key: remember.key, ...remember.answer(told.result.events) }];
      } catch (cause) {
        throw new Culprit(index, cause);
      }
    });
  }

  async function settle(prepare: () => () => Promise<Done>): Promise<Done> {
    const attempt = prepare();
    const startMs = performance.now();
    let isLost = false;
    for (let pauseMs: number = limits.retryMinMs; ; pauseMs = Math.min(2 * pauseMs, limits.retryMaxMs)) {
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof Culprit) throw error;
        const failure = failureOf(error);
        isLost ||= failure === "lost";
        const goesOn = isLost || failure === "again";
        const untilMs = startMs + (isLost ? limits.outcomeMs : limits.lockMs);
        if (!goesOn) throw error;
        if (performance.now() >= untilMs) {
          if (!isLost) throw unavailable(error);
          const { message } = unavailable(error);
          throw new OutcomeUnknown(`Nobody knows whether it was written: ${message}`);
        }
      }
      await pause(pauseMs);
    }
  }

  /** Rejects whoever is to blame, or all; others are tried again. */
  function blame(batch: readonly Waiting[], error: unknown): void {
    if (error instanceof Culprit) {
      batch[error.index]?.reject(error.cause);
      waiting.unshift(...batch.filter((_, i) => i !== error.index));
      return;
    }
    const isWrong = !(error instanceof OutcomeUnknown) && failureOf(error) === "wrong";
    if (isWrong && batch.length > 1) {
      waiting.unshift(...batch.map((one) => ({ ...one, isAlone: true })));
      return;
    }
    const told = isWrong ? refusedBy(error) : outcomeOf(error);
    for (const { reject } of batch) reject(told);
  }

  return {
    submit: (append) =>
      new Promise((resolve, reject) => {
        if (waiting.length >= limits.waitingAppends) {
          throw new StoreUnavailable(`${waiting.length} appends are waiting already.`);
        }
        waiting.push({ append, resolve, reject, sinceMs: performance.now() });
        running ??= run();
      }),
    drain: async () => running,
  };
}

function outcomeOf(error: unknown): Error {
  return error instanceof OutcomeUnknown ? error : unavailable(error);
}

/** What the server says of an append may name what the append holds: its code says enough. */
function refusedBy(error: unknown): Error {
  return new Error(`The database refuses an append (${sqlStateOf(error)}).`);
}
