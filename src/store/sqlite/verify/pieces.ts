import { setImmediate as turn } from "node:timers/promises";
import type Database from "better-sqlite3";
import { retryWhileBusy } from "../connection.ts";
import type { SqliteLimits } from "../limits.ts";

// Who reads one moment of a file for long keeps its WAL from being checkpointed: it grows with all
// that others write meanwhile. So a long read is made of short ones.

/** Asked after each row: whether the piece may read another. */
export type MayGoOn = () => boolean;

/** Reads on from where the piece before ended; answers whether there is more. */
export type Piece = (mayGoOn: MayGoOn) => boolean;

/** Does a piece of work in a read transaction of its own: all that it reads is of one moment. */
export type Pieces = <T>(piece: (mayGoOn: MayGoOn) => T) => Promise<T>;

/**
 * Waits between two pieces, after one that took so many milliseconds. Rejects where there is to be
 * no other.
 */
export type Rest = (tookMs: number) => Promise<unknown>;

/** The milliseconds to rest after work that took so many, to take this share of a core in all. */
export function restMs(tookMs: number, share: number): number {
  return (tookMs * (1 - share)) / share;
}

/** Makes what reads a connection in pieces of at most `pieceMs`, or of one row. */
export function readInPieces(
  db: Database.Database,
  limits: SqliteLimits,
  rest: Rest = () => turn(),
): Pieces {
  const begin = db.prepare("BEGIN");
  // Nothing was written; a COMMIT would fail where what was read is damaged.
  const end = db.prepare("ROLLBACK");
  return async (piece) => {
    let beganMs = 0;
    const read = () => {
      beganMs = performance.now();
      const untilMs = beganMs + limits.pieceMs;
      begin.run();
      try {
        return piece(() => performance.now() < untilMs);
      } finally {
        if (db.inTransaction) end.run();
      }
    };
    const result = await retryWhileBusy(limits, read);
    await rest(performance.now() - beganMs);
    return result;
  };
}

/** Reads to the end. */
export async function readAll(pieces: Pieces, piece: Piece): Promise<void> {
  while (await pieces(piece));
}

/** A query from its beginning, and from behind a row by its key. */
export interface Paged<Key extends unknown[], Columns> {
  readonly first: Database.Statement<[], Columns>;
  readonly next: Database.Statement<Key, Columns>;
  keyOf(columns: Columns): Key;
}

/** Makes what visits all rows of a query, in its order. */
export function visitRows<Key extends unknown[], Columns>(
  { first, next, keyOf }: Paged<Key, Columns>,
  visit: (columns: Columns) => void,
): Piece {
  let last: Key | undefined;
  return (mayGoOn) => {
    for (const columns of last === undefined ? first.iterate() : next.iterate(...last)) {
      visit(columns);
      last = keyOf(columns);
      if (!mayGoOn()) return true;
    }
    return false;
  };
}
