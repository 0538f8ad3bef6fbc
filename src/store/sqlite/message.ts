import type Database from "better-sqlite3";
import { Forged } from "../chain/forged.ts";
import type { LeasedMessage, LeaseQuery } from "../message.ts";
import { StoreUnavailable } from "../store.ts";
import { prepareRevision } from "./rebuild.ts";
import { prepareRows, type SealedColumns, sealedColumns, type ToEvent } from "./row.ts";
import { toJson } from "./sql.ts";

/** The half of `Store` that hands out messages, done at once or failed with what SQLite said. */
export interface Messages {
  lease(query: LeaseQuery): readonly LeasedMessage[];
  postpone(message: LeasedMessage, dueMs: number): void;
}

interface MessagesOptions {
  /** Of the projection by which messages are made. */
  readonly revision: number;
  readonly toEvent: ToEvent;
  /** Hears of events that are not what was appended. */
  note(error: unknown): void;
}

/**
 * Prepares the statements of a connection. When a newer program took over the file, nothing is
 * leased any more: what became of a message could not be recorded. A message of an event that is
 * not what was appended is leased to nobody, and keeps no other from being sent.
 */
export function prepareMessages(
  db: Database.Database,
  { revision, toEvent, note }: MessagesOptions,
): Messages {
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
    `SELECT ${sealedColumns}, messages.field, messages.attempts, messages.since
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

  const eventOf = (columns: SealedColumns) => {
    try {
      return toEvent(columns);
    } catch (error) {
      if (!(error instanceof Forged)) throw error;
      note(error);
      return undefined;
    }
  };
  const lease = db.transaction((query: LeaseQuery) => {
    const { types, nowMs, leaseMs, limit } = query;
    if (storedRevision() !== revision) {
      throw new StoreUnavailable("A newer program has taken over the file; start that one.");
    }
    cap.run({ nowMs, farMs: farOf(query) });
    const wanted = { nowMs, types: types === undefined ? null : toJson(types), limit };
    return due.all(wanted).flatMap(({ field, attempts, since, ...columns }) => {
      move.run({ position: columns.position, field, attempts, untilMs: nowMs + leaseMs });
      const event = eventOf(columns);
      const sinceMs = Number(since);
      return event === undefined ? [] : [{ event, field, attempts: Number(attempts) + 1, sinceMs }];
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

interface MessageColumns extends SealedColumns {
  readonly field: string;
  readonly attempts: bigint;
  readonly since: bigint;
}
