import { answerLimits, type RememberedAnswer } from "../answer.ts";
import type { Connection, Pool } from "./pool.ts";
import { toStored } from "./text.ts";

/** The answers of appends, by their keys. What is over is as good as not there. */
export interface Answers {
  /** Remembers the answers of appends that were written, in their transaction. */
  keep(connection: Connection, answers: readonly KeptAnswer[]): Promise<void>;
  recall(key: string, nowMs: number): Promise<RememberedAnswer | undefined>;
  /** Removes some of what is over, and answers whether there may be more. */
  forget(nowMs: number): Promise<boolean>;
}

/** An answer with whose it is and since when. */
export interface KeptAnswer extends RememberedAnswer {
  readonly key: string;
  readonly actor: string;
  readonly timeMs: number;
}

/** Rows that one statement removes: others are to have their turn. */
const forgottenAtOnce = 1_000;

interface AnswersOptions {
  /** The name by which the answer of a key is found. */
  readonly nameOf: (key: string) => string;
  readonly ofCaller: number;
}

/** Makes the answers of a log that remembers so many of one caller. */
export function createAnswers(pool: Pool, { nameOf, ofCaller }: AnswersOptions): Answers {
  return {
    async keep(connection, answers) {
      if (answers.length === 0) return;
      const said = answers.map(({ key, actor }) => [nameOf(key), toStored(actor)]);
      const values = [
        said.map(([key]) => key),
        said.map(([, actor]) => actor),
        answers.map(({ timeMs }) => timeMs),
        answers.map(({ request }) => request),
        answers.map(({ answer }) => answer),
        answers.map(({ secret }) => secret ?? null),
      ];
      await connection.query(keepText, values);
      await connection.query(crowdOutText, [said.map(([, actor]) => actor), ofCaller]);
    },
    async recall(key, nowMs) {
      const [row] = await pool.query<AnswerColumns>(
        "SELECT request, answer, secret, time FROM iam.answers WHERE key = $1 AND time > $2",
        [nameOf(key), nowMs - answerLimits.keptMs],
      );
      if (row === undefined) return undefined;
      const { request, answer, secret, time } = row;
      const isFresh = Number(time) > nowMs - answerLimits.secretMs;
      return { request, answer, secret: isFresh ? (secret ?? undefined) : undefined };
    },
    async forget(nowMs) {
      const [row] = await pool.query<{ removed: bigint }>(forgetText, [
        nowMs - answerLimits.keptMs,
        nowMs - answerLimits.secretMs,
        forgottenAtOnce,
      ]);
      return Number(row?.removed) >= forgottenAtOnce;
    },
  };
}

// Callers number their answers, so that the oldest of too many are found without counting.
const keepText = `
  INSERT INTO iam.answers (key, caller, number, time, request, answer, secret)
    SELECT n.key, n.caller,
        coalesce((SELECT max(a.number) FROM iam.answers a WHERE a.caller = n.caller), 0)
          + row_number() OVER (PARTITION BY n.caller ORDER BY n.place),
        n.time, n.request, n.answer, n.secret
      FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bytea[], $5::bytea[], $6::bytea[])
        WITH ORDINALITY AS n(key, caller, time, request, answer, secret, place)
    ON CONFLICT (key) DO UPDATE SET caller = excluded.caller, number = excluded.number,
      time = excluded.time, request = excluded.request, answer = excluded.answer,
      secret = excluded.secret`;

const crowdOutText = `
  DELETE FROM iam.answers a USING (
    SELECT u.caller, (SELECT max(n.number) FROM iam.answers n WHERE n.caller = u.caller) AS last
      FROM (SELECT DISTINCT caller FROM unnest($1::text[]) AS u(caller)) AS u
  ) AS c WHERE a.caller = c.caller AND a.number <= c.last - $2`;

const forgetText = `
  WITH over AS (
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
