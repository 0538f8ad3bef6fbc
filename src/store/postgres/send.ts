import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { End } from "../chain/chain.ts";
import { OutcomeUnknown } from "../store.ts";
import { appendCall } from "./append-parameters.ts";
import { type Batch, valuesOf } from "./batch.ts";
import type { Checked } from "./checked.ts";
import { failureOf, raised, sqlStateOf, unavailable } from "./errors.ts";
import type { PostgresLimits } from "./limits.ts";
import type { Connection, Pool } from "./pool.ts";
import type { Done } from "./verdict.ts";
import { beforeOf, isLinked, isOfBatch } from "./written.ts";

/** What a batch is written to. */
export interface Target {
  readonly pool: Pool;
  readonly limits: PostgresLimits;
  readonly checked: Checked;
  readonly log: string;
  readonly revision: number;
}

/**
 * Writes a batch behind the end that was seen last, and answers what became of it. Where that is
 * not known, because the connection was lost, the same batch is sent again until it is: what was
 * written is not written again. Rejects with `OutcomeUnknown` where it takes too long, and with
 * what the driver says where nothing was written.
 */
export async function send(target: Target, batch: Batch, seen: End): Promise<Done> {
  const { limits, checked } = target;
  const attempt = prepare(target, batch, seen);
  const startMs = performance.now();
  /** Whether it may be written, though not behind a log that is known to be whole. */
  let isOpen = false;
  /** Whether others have written what is to be checked first. */
  let isBehind = false;
  for (let pauseMs: number = limits.retryMinMs; ; pauseMs = 2 * pauseMs) {
    try {
      if (isBehind) await checked.follow();
      const done = await attempt();
      isOpen = true;
      checked.assert(isOfBatch(batch, done, seen.position));
      const before = beforeOf(batch, done);
      await checked.follow(before);
      const link = checked.linkAt(before);
      checked.assert(link === undefined || isLinked(batch, done, link));
      checked.wrote({ position: done.head, link: done.link });
      return done;
    } catch (error) {
      const failure = failureOf(error);
      isOpen ||= failure === "lost";
      if (isOpen && checked.fault() !== undefined) throw unknown(error);
      if (!isOpen && failure !== "again") throw error;
      const untilMs = startMs + (isOpen ? limits.outcomeMs : limits.lockMs);
      if (performance.now() >= untilMs) throw isOpen ? unknown(error) : unavailable(error);
      isBehind = sqlStateOf(error) === raised.unchecked;
    }
    if (!isBehind) await pause(Math.min(pauseMs, limits.retryMaxMs));
  }
}

function unknown(error: unknown): OutcomeUnknown {
  const { message, cause } = unavailable(error);
  return new OutcomeUnknown(`The outcome of the write is unknown: ${message}`, { cause });
}

/** Makes the attempt to write it, which writes the same each time. */
function prepare(target: Target, batch: Batch, seen: End): () => Promise<Done> {
  const { pool, limits, checked, log, revision } = target;
  const { planned, columns } = batch;
  const single = {
    batch: randomUUID(),
    log,
    revision,
    now: columns.nowMs,
    commands: planned.length,
    seen_position: seen.position,
    seen_link: seen.link,
    lock_ms: limits.lockMs,
    k_kept: limits.answersOfCaller,
  };
  const call = async (connection: Connection) => {
    const values = valuesOf(columns, { ...single, checked: checked.bound() ?? null });
    const [done] = await connection.query<Done>(appendCall, values);
    if (done === undefined) throw new Error("the function answers nothing");
    return done;
  };
  return () => pool.using(call);
}
