import type Database from "better-sqlite3";
import type { RememberedAnswer } from "../answer.ts";
import { answerLimits, countOf } from "../answer.ts";
import type { Remembered } from "../kept.ts";
import type { Append } from "../store.ts";
import { prepareRows } from "./row.ts";
import { bound } from "./sql.ts";

/** The answers of appends, by their keys. What has expired counts as missing. */
export type Answers = ReturnType<typeof prepareAnswers>;

/** Rows that one transaction removes: others are to have their turn. */
const forgottenAtOnce = 1_000;

/**
 * Prepares the statements of a connection that remembers so many answers of one caller, under the
 * names that keys have in the file.
 */
export function prepareAnswers(
  db: Database.Database,
  nameOf: (key: string) => string,
  ofCaller: number,
) {
  const found = prepareRows<[string, number], AnswerColumns>(
    db,
    "SELECT request, answer, secret, time FROM answers WHERE key = ? AND time > ?",
  );
  // Callers number their answers, so that the oldest of too many are found without counting. A
  // large one takes several numbers, of which it has the last.
  const last = db
    .prepare<[string], number | null>(`SELECT max(number) FROM answers WHERE caller = ${bound}`)
    .pluck();
  const count = db
    .prepare<[string], number>("SELECT count(*) FROM answers WHERE caller = ?")
    .pluck();
  const newest = db
    .prepare<[string], number>(
      "SELECT time FROM answers WHERE caller = ? ORDER BY number DESC LIMIT 1",
    )
    .pluck();
  const keep = db.prepare(
    `INSERT OR REPLACE INTO answers (key, caller, number, time, request, answer, secret)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const crowdOut = db.prepare("DELETE FROM answers WHERE caller = ? AND number <= ?");
  const removeUser = db.prepare<[string]>("DELETE FROM answers WHERE caller = ?");
  const isOver = db
    .prepare<[number, number], number>(
      `SELECT EXISTS (SELECT 1 FROM answers WHERE time <= ?)
         OR EXISTS (SELECT 1 FROM answers WHERE secret IS NOT NULL AND time <= ?)`,
    )
    .pluck();
  const remove = db.prepare(
    "DELETE FROM answers WHERE key IN (SELECT key FROM answers WHERE time <= ? LIMIT ?)",
  );
  const removeSecrets = db.prepare(
    `UPDATE answers SET secret = NULL WHERE key IN
       (SELECT key FROM answers WHERE secret IS NOT NULL AND time <= ? LIMIT ?)`,
  );
  const forget = db.transaction((overMs: number, secretOverMs: number) => {
    const removed = remove.run(overMs, forgottenAtOnce).changes;
    return removed + removeSecrets.run(secretOverMs, forgottenAtOnce).changes;
  });

  const rowOf = (key: string, nowMs: number) => found.get(nameOf(key), nowMs - answerLimits.keptMs);
  return {
    isTaken: ({ remember, timeMs }: Append) =>
      remember !== undefined && rowOf(remember.key, timeMs) !== undefined,
    /** Remembers the answer of an append that was written, if it is to be; in its transaction. */
    keep({ actor, timeMs, remember }: Append) {
      if (remember === undefined) return;
      const { request, answer, secret } = remember;
      const number = (last.get(actor) ?? 0) + countOf(remember);
      keep.run([nameOf(remember.key), actor, number, timeMs, request, answer, secret ?? null]);
      crowdOut.run(actor, number - ofCaller);
    },
    recall(key: string, nowMs: number): RememberedAnswer | undefined {
      const row = rowOf(key, nowMs);
      if (row === undefined) return undefined;
      const { request, answer } = row;
      const isFresh = Number(row.time) > nowMs - answerLimits.secretMs;
      return { request, answer, secret: isFresh ? (row.secret ?? undefined) : undefined };
    },
    /** Removes those of a caller, as an append does that names the user. */
    removeUser: (userId: string) => void removeUser.run(userId),
    rememberedOf: (caller: string): Remembered => {
      return { count: count.get(caller) ?? 0, newestMs: newest.get(caller) };
    },
    /** Removes some of what is over, and answers whether there may be more. */
    forget(nowMs: number) {
      const [overMs, secretOverMs] = [nowMs - answerLimits.keptMs, nowMs - answerLimits.secretMs];
      // While nothing has expired, there is no need to take the only write lock.
      if (isOver.get(overMs, secretOverMs) !== 1) return false;
      return forget.immediate(overMs, secretOverMs) >= forgottenAtOnce;
    },
  };
}

interface AnswerColumns {
  readonly request: Uint8Array;
  readonly answer: Uint8Array;
  readonly secret: Uint8Array | null;
  readonly time: bigint;
}
