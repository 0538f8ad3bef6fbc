import { setImmediate as turn } from "node:timers/promises";
import type Database from "better-sqlite3";
import { retryWhileBusy } from "../connection.ts";
import type { SqliteLimits } from "../limits.ts";

// A long read of one moment of a file keeps its WAL from being checkpointed: it grows with all that
// others write meanwhile. So a long read is made of short ones.

/** Asked after each row: whether the piece may read another. */
export type MayGoOn = () => boolean;

/** Does a piece of work in a read transaction of its own: all that it reads is of one moment. */
export type Pieces = <T>(piece: (mayGoOn: MayGoOn) => T | Promise<T>) => Promise<T>;

/**
 * Waits between two pieces, after one that took so many milliseconds. Rejects where there is to be
 * no other.
 */
export type Rest = (tookMs: number) => Promise<unknown>;

/** Makes what reads a connection, which nobody else uses, within `pieceMs` and `pieceRows`. */
export function readInPieces(
  db: Database.Database,
  limits: SqliteLimits,
  rest: Rest = () => turn(),
): Pieces {
  const begin = db.prepare("BEGIN");
  // Nothing was written; a COMMIT would fail where what was read is damaged.
  const end = db.prepare("ROLLBACK");
  const beginNow = () => {
    begin.run();
    try {
      // The moment is that of the first read.
      db.pragma("user_version");
    } catch (error) {
      end.run();
      throw error;
    }
  };
  return async (piece) => {
    await retryWhileBusy(limits, beginNow);
    const beganMs = performance.now();
    const untilMs = beganMs + limits.pieceMs;
    let rows = 0;
    const mayGoOn = () => {
      rows += 1;
      return rows < limits.pieceRows && performance.now() < untilMs;
    };
    try {
      return await piece(mayGoOn);
    } finally {
      if (db.inTransaction) end.run();
      await rest(performance.now() - beganMs);
    }
  };
}
