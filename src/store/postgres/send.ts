import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { End } from "../chain/chain.ts";
import { OutcomeUnknown } from "../store.ts";
import { appendCall } from "./append-parameters.ts";
import { type BatchColumns, type Planned, valuesOf } from "./batch.ts";
import { failureOf, unavailable } from "./errors.ts";
import type { PostgresLimits } from "./limits.ts";
import type { Connection, Pool } from "./pool.ts";
import type { Done } from "./verdict.ts";

/** What a batch is written to. */
export interface Target {
  readonly pool: Pool;
  readonly limits: PostgresLimits;
  readonly log: string;
  readonly revision: number;
}

/** A batch of appends as the function takes it. */
export interface Batch {
  readonly planned: readonly Planned[];
  readonly columns: BatchColumns;
}

/**
 * Writes a batch behind the end that was seen last, and answers what became of it. Where that is
 * not known, because the connection was lost, the same batch is sent again until it is: what was
 * written is not written again. Rejects with `OutcomeUnknown` where it takes too long, and with
 * what the driver says where nothing was written.
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
  const { pool, limits, log, revision } = target;
  const { planned, columns } = batch;
  const values = valuesOf(columns, {
    ...{ batch: randomUUID(), log, revision, now: columns.nowMs, commands: planned.length },
    ...{ seen_position: seen.position, seen_link: seen.link, lock_ms: limits.lockMs },
    k_kept: limits.answersOfCaller,
  });
  const call = async (connection: Connection) => {
    const [done] = await connection.query<Done>(appendCall, values);
    if (done === undefined) throw new Error("the function answers nothing");
    return done;
  };
  return () => pool.using(call);
}
