import type Database from "better-sqlite3";
import { wholeOrNoted } from "../chain/forged.ts";
import type { PendingMessage } from "../kept.ts";
import type { LeasedMessage, LeaseQuery, WaitingMessages } from "../message.ts";
import type { SqliteLimits } from "./limits.ts";
import { prepareTakeover } from "./rebuild.ts";
import { prepareRows, type SealedColumns, sealedColumns, type ToEvent } from "./row.ts";
import { toJson } from "./sql.ts";
import { type Line, prepareTurns, type Wanted } from "./turns.ts";

interface MessagesOptions {
  /** Of the projection by which messages are made. */
  readonly revision: number;
  readonly toEvent: ToEvent;
  /** Hears of events that are not what was appended. */
  note(error: unknown): void;
  readonly limits: Pick<SqliteLimits, "messagesCounted">;
}

/**
 * Prepares the half of `Store` that hands out messages, done at once or failed with what SQLite
 * said. When a newer program took over the file, nothing is leased any more: what became of a
 * message could not be recorded. A message of an event that is missing, or is not what was
 * appended, is leased to nobody, and keeps no other from being sent.
 */
export function prepareMessages(db: Database.Database, options: MessagesOptions) {
  const { revision, limits } = options;
  const turns = prepareTurns(db);
  const types = db.prepare<[], string>("SELECT json_group_array(DISTINCT type) FROM turns").pluck();
  const anyFar = db.prepare<[number], number>(
    "SELECT 1 FROM messages INDEXED BY messages_tried WHERE due > ? AND attempts > 0 LIMIT 1",
  );
  const cap = db.prepare<[{ readonly nowMs: number; readonly farMs: number }], Line>(
    `UPDATE messages INDEXED BY messages_tried SET due = @nowMs
     WHERE due > @farMs AND attempts > 0 RETURNING type, owner`,
  );
  const first = prepareRows<[Line & { readonly nowMs: number }], MessageColumns>(db, firstText);
  const move = db.prepare(
    `UPDATE messages SET due = @untilMs, attempts = @attempts + 1
     WHERE position = @position AND field = @field AND attempts = @attempts`,
  );
  const postpone = db.prepare<[number, bigint, string, number], Line>(
    `UPDATE messages SET due = ? WHERE position = ? AND field = ? AND attempts = ?
     RETURNING type, owner`,
  );
  const waiting = db.prepare<[{ readonly nowMs: number; readonly max: number }], WaitingMessages>(
    waitingText,
  );
  const pending = prepareRows<[PendingQuery], PendingColumns>(db, pendingText);
  const assertNotTaken = prepareTakeover(db, revision);

  const wantedBy = ({ types: some, nowMs }: LeaseQuery): Wanted => {
    return { nowMs, types: (some === undefined ? types.get() : toJson(some)) ?? "[]" };
  };

  /** Leases what has been due in a line for longest; nothing where its turn came too early. */
  function leaseFirst(line: Line, { nowMs, leaseMs }: LeaseQuery): readonly LeasedMessage[] {
    const leased = first.all({ ...line, nowMs }).flatMap((row) => {
      const { asked: position, field, attempts, since } = row;
      move.run({ position, field, attempts, untilMs: nowMs + leaseMs });
      const event = eventOf(row, options);
      return event
        ? [{ event, field, attempts: Number(attempts) + 1, sinceMs: Number(since) }]
        : [];
    });
    turns.goBehind(line, nowMs);
    return leased;
  }

  const lease = db.transaction((query: LeaseQuery) => {
    const { nowMs, limit } = query;
    assertNotTaken();
    for (const line of cap.all({ nowMs, farMs: farOf(query) })) turns.expect(line, nowMs);
    const wanted = wantedBy(query);
    const leased: LeasedMessage[] = [];
    while (leased.length < limit) {
      const line = turns.next(wanted);
      if (line === undefined) break;
      leased.push(...leaseFirst(line, query));
    }
    return leased;
  });
  return {
    // While nothing is due, there is no need to take the only write lock.
    lease: (query: LeaseQuery): readonly LeasedMessage[] => {
      const isAny = turns.next(wantedBy(query)) ?? anyFar.get(farOf(query));
      return isAny === undefined ? [] : lease.immediate(query);
    },
    postpone: db.transaction(({ event, field, attempts }: LeasedMessage, dueMs: number) => {
      // Each lease has a number of its own, so an outdated one moves nothing.
      const moved = postpone.all(dueMs, event.position, field, attempts);
      for (const line of moved) {
        turns.expect(line, dueMs);
        turns.review(line);
      }
    }).immediate,
    pending: (stream: string, limit: number): readonly PendingMessage[] =>
      pending.all({ stream, limit }).map(({ due, ...key }) => ({ ...key, dueMs: Number(due) })),
    /** How many wait at this time. */
    waiting: (nowMs: number): Partial<WaitingMessages> =>
      waiting.get({ nowMs, max: limits.messagesCounted }) ?? {},
  };
}

/** The event of a message; undefined where it is missing, or not what was appended. */
function eventOf(
  { asked, field, attempts, since, ...columns }: MessageColumns,
  { toEvent, note }: Pick<MessagesOptions, "toEvent" | "note">,
) {
  return columns.position === asked ? wholeOrNoted(() => toEvent(columns), note) : undefined;
}

/** What has been due in a line for longest, from its index. */
export const firstText = `SELECT ${sealedColumns}, messages.position AS asked, messages.field,
    messages.attempts, messages.since
  FROM messages LEFT JOIN events ON events.position = messages.position
  WHERE messages.type = @type AND messages.owner = @owner AND messages.due <= @nowMs
  ORDER BY messages.due, messages.position, messages.field LIMIT 1`;

/** What waits of a stream, by the index of its events. */
export const pendingText = `SELECT messages.position, messages.field, messages.due
  FROM events CROSS JOIN messages ON messages.position = events.position
  WHERE events.stream = @stream
  ORDER BY messages.due, messages.position, messages.field LIMIT @limit`;

/** Untried messages are first due when they are due, so the index of that says it of them. */
const waitingText = `SELECT
    (SELECT count(*) FROM
      (SELECT 1 FROM messages WHERE attempts = 0 AND due > @nowMs LIMIT @max)) AS postponedMessages,
    (SELECT count(*) FROM
      (SELECT 1 FROM messages WHERE attempts = 0 AND due <= @nowMs LIMIT @max)) +
    (SELECT count(*) FROM
      (SELECT 1 FROM messages WHERE attempts > 0 AND due <= @nowMs LIMIT @max)) AS dueMessages,
    (SELECT count(*) FROM
      (SELECT 1 FROM messages WHERE attempts > 0 AND due > @nowMs LIMIT @max)) AS retriedMessages,
    @nowMs - min(
      ifnull((SELECT min(due) FROM messages WHERE attempts = 0 AND due <= @nowMs), @nowMs),
      ifnull((SELECT min(since) FROM
        (SELECT since FROM messages WHERE attempts > 0 LIMIT @max)), @nowMs),
      @nowMs) AS oldestMessageMs`;

/** The time after which nothing is due that was put off by a clock that is right. */
function farOf({ nowMs, pauseMaxMs = Number.MAX_SAFE_INTEGER - nowMs }: LeaseQuery): number {
  return nowMs + pauseMaxMs;
}

/** Those of the event are null where there is none at the position that is asked for. */
interface MessageColumns extends SealedColumns {
  readonly asked: bigint;
  readonly field: string;
  readonly attempts: bigint;
  readonly since: bigint;
}

interface PendingQuery {
  readonly stream: string;
  readonly limit: number;
}

interface PendingColumns {
  readonly position: bigint;
  readonly field: string;
  readonly due: bigint;
}
