import { answerLimits, type RememberedAnswer } from "../answer.ts";
import type { Remembered } from "../kept.ts";
import type { Pool } from "./pool.ts";
import { served } from "./revision.ts";
import { toStored } from "./text.ts";

/** Rows that one statement removes: others are to have their turn. */
const forgottenAtOnce = 1_000;

/**
 * Makes the answers of a log, in which keys have such names; appends keep them. What has expired
 * counts as missing.
 */
export function createAnswers(pool: Pool, nameOf: (key: string) => string) {
  return {
    async recall(key: string, nowMs: number): Promise<RememberedAnswer | undefined> {
      const [row] = await pool.query<AnswerColumns>(
        `WITH ${served}
         SELECT request, answer, secret, time FROM iam.answers WHERE key = $1 AND time > $2`,
        [nameOf(key), nowMs - answerLimits.keptMs],
      );
      if (row === undefined) return undefined;
      const { request, answer, secret, time } = row;
      const isFresh = Number(time) > nowMs - answerLimits.secretMs;
      return { request, answer, secret: isFresh ? (secret ?? undefined) : undefined };
    },
    async rememberedOf(caller: string): Promise<Remembered> {
      const [row] = await pool.query<RememberedColumns>(rememberedText, [toStored(caller)]);
      const newestMs = row?.newest == null ? undefined : Number(row.newest);
      return { count: Number(row?.count ?? 0), newestMs };
    },
    /** Removes some of what is over, and answers whether there may be more. */
    async forget(nowMs: number): Promise<boolean> {
      const [row] = await pool.query<{ removed: bigint }>(forgetText, [
        nowMs - answerLimits.keptMs,
        nowMs - answerLimits.secretMs,
        forgottenAtOnce,
      ]);
      return Number(row?.removed) >= forgottenAtOnce;
    },
  };
}

const rememberedText = `WITH ${served} SELECT count(*) AS count,
    (SELECT time FROM iam.answers WHERE caller = $1 ORDER BY number DESC LIMIT 1) AS newest
  FROM iam.answers WHERE caller = $1`;

const forgetText = `
  WITH ${served}, over AS (
    DELETE FROM iam.answers WHERE key IN (
      SELECT key FROM iam.answers WHERE time <= $1 LIMIT $3 FOR UPDATE SKIP LOCKED)
    RETURNING key
  ), secrets AS (
    UPDATE iam.answers SET secret = NULL WHERE key IN (
      SELECT key FROM iam.answers WHERE secret IS NOT NULL AND time <= $2 AND time > $1
        LIMIT $3 FOR UPDATE SKIP LOCKED)
    RETURNING key
  ) SELECT (SELECT count(*) FROM over) + (SELECT count(*) FROM secrets) AS removed`;

interface AnswerColumns {
  readonly request: Buffer;
  readonly answer: Buffer;
  readonly secret: Buffer | null;
  readonly time: bigint;
}

interface RememberedColumns {
  readonly count: bigint;
  readonly newest: bigint | null;
}
