import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { End } from "../chain/chain.ts";
import { OutcomeUnknown } from "../store.ts";
import type { Answers } from "./answers.ts";
import { appendCall } from "./append-parameters.ts";
import { removeFamilies } from "./artifacts.ts";
import { type BatchColumns, type Planned, valuesOf } from "./batch.ts";
import { failureOf, unavailable } from "./errors.ts";
import type { PostgresLimits } from "./limits.ts";
import type { Connection, Pool } from "./pool.ts";
import { type Done, toldOf } from "./verdict.ts";

/** What a batch is written to. */
export interface Target {
  readonly pool: Pool;
  readonly limits: PostgresLimits;
  readonly answers: Answers;
  readonly log: string;
  readonly revision: number;
}

/** A batch of appends as the function takes it. */
export interface Batch {
  readonly planned: readonly Planned[];
  readonly columns: BatchColumns;
}

/** One append of a batch has thrown what is its own fault. */
export class Culprit extends Error {
  readonly index: number;

  constructor(index: number, cause: unknown) {
    super("one append is to blame", { cause });
    this.index = index;
  }
}

/**
 * Writes a batch behind the end that was seen last, and answers what became of it. Where that is
 * not known, because the connection was lost, the same batch is sent again until it is: what was
 * written is not written again. Rejects with `OutcomeUnknown` where it takes too long, and with a
 * `Culprit`, or what the driver says, where nothing was written.
 */
export async function send(target: Target, batch: Batch, seen: End): Promise<Done> {
  const { limits } = target;
  const attempt = prepare(target, batch, seen);
  const startMs = performance.now();
  let isLost = false;
  for (let pauseMs: number = limits.retryMinMs; ; pauseMs = 2 * pauseMs) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof Culprit) throw error;
      const failure = failureOf(error);
      isLost ||= failure === "lost";
      if (!isLost && failure !== "again") throw error;
      const untilMs = startMs + (isLost ? limits.outcomeMs : limits.lockMs);
      if (performance.now() >= untilMs) throw isLost ? unknown(error) : unavailable(error);
    }
    await pause(Math.min(pauseMs, limits.retryMaxMs));
  }
}

function unknown(error: unknown): OutcomeUnknown {
  return new OutcomeUnknown(`Nobody knows whether it was written: ${unavailable(error).message}`);
}

/** Makes the attempt to write it, which is the same each time. */
function prepare(target: Target, batch: Batch, seen: End): () => Promise<Done> {
  const { pool, limits, answers, log, revision } = target;
  const { planned, columns } = batch;
  const values = valuesOf(columns, {
    ...{ batch: randomUUID(), log, revision, now: columns.nowMs, commands: planned.length },
    ...{ seen_position: seen.position, seen_link: seen.link, lock_ms: limits.lockMs },
  });
  const call = async (connection: Connection) => {
    const [done] = await connection.query<Done>(appendCall, values);
    if (done === undefined) throw new Error("the function answers nothing");
    return done;
  };
  if (planned.every(({ append: { remember, families } }) => !remember && !families)) {
    return () => pool.using(call);
  }
  return () =>
    pool.transaction("BEGIN ISOLATION LEVEL READ COMMITTED", async (connection) => {
      const done = await call(connection);
      if (done.replayed) return done;
      const appended = appendedOf(batch, done);
      await answers.keep(connection, keptOf(appended));
      await removeFamilies(
        connection,
        appended.flatMap(({ append }) => append.families ?? []),
      );
      return done;
    });
}

/** The appends that were written, with their events. */
function appendedOf({ planned, columns }: Batch, done: Done) {
  return planned.flatMap(({ append }, index) => {
    const told = toldOf(planned, columns, { ...done, index });
    const isAppended = told.kind === "result" && told.result.kind === "appended";
    return isAppended ? [{ append, index, events: told.result.events }] : [];
  });
}

/** The answers to remember of the appends that were written. */
function keptOf(appended: ReturnType<typeof appendedOf>) {
  return appended.flatMap(({ append: { actor, timeMs, remember }, index, events }) => {
    if (remember === undefined) return [];
    try {
      return [{ actor, timeMs, key: remember.key, ...remember.answer(events) }];
    } catch (cause) {
      throw new Culprit(index, cause);
    }
  });
}
