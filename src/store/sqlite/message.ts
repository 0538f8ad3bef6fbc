import type Database from "better-sqlite3";
import type { LeasedMessage, LeaseQuery } from "../message.ts";
import { StoreUnavailable } from "../store.ts";
import { prepareRevision } from "./rebuild.ts";
import type { EventColumns } from "./row.ts";
import { eventColumns, prepareRows, toEvent } from "./row.ts";
import { toJson } from "./sql.ts";

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
  const anyFar = db.prepare<[number], number>(
    "SELECT 1 FROM messages INDEXED BY messages_tried WHERE due > ? AND attempts > 0 LIMIT 1",
  );
  const cap = db.prepare(
    `UPDATE messages INDEXED BY messages_tried SET due = @nowMs
     WHERE due > @farMs AND attempts > 0`,
  );
  const due = prepareRows<[WantedMessages], MessageColumns>(
    db,
    `SELECT ${eventColumns}, messages.field, messages.attempts, messages.since
     FROM messages JOIN events ON events.position = messages.position
     WHERE messages.due <= @nowMs
       AND (@types IS NULL OR events.type IN (SELECT value FROM json_each(@types)))
     ORDER BY messages.due, messages.position, messages.field LIMIT @limit`,
  );
  const move = db.prepare(
    `UPDATE messages SET due = @untilMs, attempts = @attempts + 1
     WHERE position = @position AND field = @field AND attempts = @attempts`,
  );
  const postpone = db.prepare(
    "UPDATE messages SET due = ? WHERE position = ? AND field = ? AND attempts = ?",
  );
  const storedRevision = prepareRevision(db);

  const lease = db.transaction((query: LeaseQuery) => {
    const { types, nowMs, leaseMs, limit } = query;
    if (storedRevision() !== revision) {
      throw new StoreUnavailable("A newer program has taken over the file; start that one.");
    }
    cap.run({ nowMs, farMs: farOf(query) });
    const wanted = { nowMs, types: types === undefined ? null : toJson(types), limit };
    return due.all(wanted).map(({ field, attempts, since, ...columns }) => {
      move.run({ position: columns.position, field, attempts, untilMs: nowMs + leaseMs });
      const sinceMs = Number(since);
      return { event: toEvent(columns), field, attempts: Number(attempts) + 1, sinceMs };
    });
  });
  return {
    // Whoever asks while nothing is due need not take the only write lock.
    lease: (query) => {
      const isAny = anyDue.get(query.nowMs) ?? anyFar.get(farOf(query));
      return isAny === undefined ? [] : lease.immediate(query);
    },
    postpone: ({ event, field, attempts }, dueMs) => {
      // Each lease has a number of its own, so an outdated one moves nothing.
      postpone.run(dueMs, event.position, field, attempts);
    },
  };
}

/** The time after which nothing is due that was put off by a clock that is right. */
function farOf({ nowMs, pauseMaxMs = Number.MAX_SAFE_INTEGER - nowMs }: LeaseQuery): number {
  return nowMs + pauseMaxMs;
}

interface WantedMessages {
  readonly nowMs: number;
  readonly types: string | null;
  readonly limit: number;
}

interface MessageColumns extends EventColumns {
  readonly field: string;
  readonly attempts: bigint;
  readonly since: bigint;
}
