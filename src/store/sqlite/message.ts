import type Database from "better-sqlite3";
import type { LeasedMessage, LeaseQuery } from "../store.ts";
import { StoreUnavailable } from "../store.ts";
import type { EventColumns } from "./read.ts";
import { prepareRows, toEvent } from "./read.ts";
import { prepareRevision } from "./rebuild.ts";

/** The half of `Store` that hands out messages, done at once or failed with what SQLite said. */
export interface Messages {
  lease(query: LeaseQuery): readonly LeasedMessage[];
  postpone(message: LeasedMessage, dueMs: number): void;
}

/**
 * Prepares the statements of a connection whose messages are made with the projection revision.
 * When a newer program took over the file, nothing is leased any more: what became of a message
 * could not be recorded.
 */
export function prepareMessages(db: Database.Database, revision: number): Messages {
  const anyDue = db.prepare<[number], number>("SELECT 1 FROM messages WHERE due <= ? LIMIT 1");
  const due = prepareRows<[number, number], MessageColumns>(
    db,
    `SELECT events.*, messages.field, messages.attempts
     FROM messages JOIN events ON events.position = messages.position
     WHERE messages.due <= ? ORDER BY messages.due, messages.position, messages.field LIMIT ?`,
  );
  const move = db.prepare(
    `UPDATE messages SET due = @untilMs, attempts = @attempts + 1
     WHERE position = @position AND field = @field AND attempts = @attempts`,
  );
  const postpone = db.prepare(
    "UPDATE messages SET due = ? WHERE position = ? AND field = ? AND attempts = ?",
  );
  const storedRevision = prepareRevision(db);

  const lease = db.transaction(({ nowMs, leaseMs, limit }: LeaseQuery) => {
    if (storedRevision() !== revision) {
      throw new StoreUnavailable("A newer program has taken over the file; start that one.");
    }
    return due.all(nowMs, limit).map(({ field, attempts, ...columns }) => {
      move.run({ position: columns.position, field, attempts, untilMs: nowMs + leaseMs });
      return { event: toEvent(columns), field, attempts: Number(attempts) + 1 };
    });
  });
  return {
    // Whoever asks while nothing is due need not take the only write lock.
    lease: (query) => (anyDue.get(query.nowMs) === undefined ? [] : lease.immediate(query)),
    postpone: ({ event, field, attempts }, dueMs) => {
      // Each lease has a number of its own, so an outdated one moves nothing.
      postpone.run(dueMs, event.position, field, attempts);
    },
  };
}

interface MessageColumns extends EventColumns {
  readonly field: string;
  readonly attempts: bigint;
}
