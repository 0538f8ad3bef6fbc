import type Database from "better-sqlite3";

/** The messages of one owner that events of one type have asked for. */
export interface Line {
  readonly type: string;
  readonly owner: string;
}

/** Which lines want a turn: those of the types, a list in JSON, that have something due. */
export interface Wanted {
  readonly types: string;
  readonly nowMs: number;
}

/** The statements that a lease runs for each message, here so that their plans can be tested. */
export const turnTexts = {
  // Each type is looked up by itself, in its part of the index.
  next: `SELECT type, owner FROM turns WHERE number IN
      (SELECT (SELECT number FROM turns WHERE type = value AND turn <= @nowMs
               ORDER BY turn, number LIMIT 1)
       FROM json_each(@types))
    ORDER BY turn, number LIMIT 1`,
  remove: "DELETE FROM turns WHERE type = @type AND owner = @owner",
  // Its number is the highest, so it is behind all whose turn comes at the same time.
  queue: `INSERT INTO turns (type, owner, turn) SELECT type, owner, max(due, @nowMs) FROM messages
    WHERE type = @type AND owner = @owner ORDER BY due LIMIT 1`,
} as const;

/**
 * Prepares what says whose turn it is among the lines of messages, inside transactions. A row of
 * `turns` is there as long as a line has messages; its turn comes when its first one is due, and
 * after a turn it stands behind all that wait. So what a lease costs does not depend on how many
 * messages or owners there are.
 */
export function prepareTurns(db: Database.Database) {
  const next = db.prepare<[Wanted], Line>(turnTexts.next);
  const remove = db.prepare<[Line]>(turnTexts.remove);
  const queue = db.prepare<[Line & { readonly nowMs: number }]>(turnTexts.queue);
  const expect = db.prepare(
    `INSERT INTO turns (type, owner, turn) VALUES (?, ?, ?)
     ON CONFLICT (type, owner) DO UPDATE SET turn = excluded.turn WHERE excluded.turn < turn`,
  );
  const removeEmpty = db.prepare<[Line]>(
    `${turnTexts.remove} AND NOT EXISTS
       (SELECT 1 FROM messages WHERE type = @type AND owner = @owner)`,
  );
  const move = db.prepare<[Line & { readonly nowMs: number }]>(
    `UPDATE turns SET turn = min(max(turn, first.due), max(first.due, @nowMs)) FROM
       (SELECT due FROM messages WHERE type = @type AND owner = @owner
        ORDER BY due LIMIT 1) AS first
     WHERE type = @type AND owner = @owner
       AND (turn < first.due OR turn > max(first.due, @nowMs))`,
  );
  return {
    /** The line whose turn has come first; undefined where none has come. */
    next: (wanted: Wanted) => next.get(wanted),
    /** Has the line wait for its next turn: behind the others, and until something there is due. */
    goBehind: ({ type, owner }: Line, nowMs: number) => {
      remove.run({ type, owner });
      queue.run({ type, owner, nowMs });
    },
    /** Says that a message of the line is due at a time, be it a new one. */
    expect: ({ type, owner }: Line, dueMs: number) => {
      expect.run(type, owner, dueMs);
    },
    /**
     * Says that messages of the line are gone or due later: its turn waits for others, if any. With
     * the time it does not wait longer than for them, though a clock that was ahead gave that turn.
     */
    review: ({ type, owner }: Line, nowMs = Number.MAX_SAFE_INTEGER) => {
      removeEmpty.run({ type, owner });
      move.run({ type, owner, nowMs });
    },
  };
}
