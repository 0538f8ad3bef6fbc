import { wholeOrNoted } from "../chain/forged.ts";
import type { PendingMessage } from "../kept.ts";
import type { LeasedMessage, LeaseQuery, WaitingMessages } from "../message.ts";
import { raised, refused } from "./errors.ts";
import type { PostgresLimits } from "./limits.ts";
import type { Pool } from "./pool.ts";
import { served } from "./revision.ts";
import { type SealedColumns, sealedColumns, type ToEvent } from "./row.ts";
import { lookingBack, type Seen } from "./seen.ts";
import { fromStored, toStored } from "./text.ts";

interface MessagesOptions {
  /** Of the projection by which messages are made. */
  readonly revision: number;
  readonly toEvent: ToEvent;
  readonly seen: Seen;
  /** Is told of an event that is not what was appended. */
  readonly note: (error: unknown) => void;
  readonly limits: Pick<PostgresLimits, "messagesCounted">;
}

/**
 * Makes the half of `Store` that hands out messages, which are made with the projection revision.
 * When a newer program took over the log, nothing is leased any more: what became of a message
 * could not be recorded. A message of an event that is not what was appended is leased to nobody,
 * and keeps no other from being sent.
 */
export function createMessages(
  pool: Pool,
  { revision, toEvent, seen, note, limits: { messagesCounted } }: MessagesOptions,
) {
  const toLeased = ({ field, attempts, since }: LeaseColumns, columns?: SealedColumns) => {
    const event = columns && wholeOrNoted(() => toEvent(columns), note);
    const said = { field: fromStored(field), attempts: Number(attempts) };
    return event === undefined ? [] : [{ event, ...said, sinceMs: Number(since) }];
  };
  return {
    lease: async ({ types, leaseMs, limit, pauseMaxMs, ...query }: LeaseQuery) => {
      const nowMs = Math.floor(query.nowMs);
      // The time after which nothing is due that was put off by a clock that is right.
      const farMs = pauseMaxMs === undefined ? Number.MAX_SAFE_INTEGER : nowMs + pauseMaxMs;
      const wanted = types?.map(toStored) ?? null;
      const [look] = await pool.query<Look>(lookText(wanted), [
        nowMs,
        farMs,
        ...(wanted === null ? [] : [wanted]),
      ]);
      if (Number(look?.revision ?? -1) !== revision) throw refused(raised.revision);
      const leased: LeasedMessage[] = [];
      let isMore = look?.isDue === true;
      while (isMore && leased.length < limit) {
        const count = limit - leased.length;
        const rows = await pool.query<LeaseColumns>(leaseText, [
          ...[wanted, nowMs, farMs, nowMs + leaseMs, count],
        ]);
        const events = await lookingBack(pool, seen).query<SealedColumns>(eventsText, [
          rows.map(({ position }) => position),
        ]);
        const byPosition = new Map(events.map((columns) => [columns.position, columns]));
        leased.push(...rows.flatMap((row) => toLeased(row, byPosition.get(row.position))));
        isMore = rows.length === count;
      }
      return leased;
    },
    postpone: async ({ event, field, attempts }: LeasedMessage, dueMs: number) => {
      // Each lease has a number of its own, so an outdated one moves nothing.
      await pool.query("SELECT derived.postpone($1, $2, $3, $4)", [
        ...[event.position, toStored(field), attempts, dueMs],
      ]);
    },
    pending: async (stream: string, limit: number) => {
      const rows = await pool.query<PendingColumns>(pendingText, [toStored(stream), limit]);
      return rows.map(({ position, field, due }): PendingMessage => {
        return { position, field: fromStored(field), dueMs: Number(due) };
      });
    },
    /** How many wait at this time. */
    waiting: async (nowMs: number): Promise<WaitingMessages> => {
      const [row] = await pool.query<WaitingColumns>(waitingText, [nowMs, messagesCounted]);
      return {
        postponedMessages: Number(row?.postponed),
        dueMessages: Number(row?.due),
        retriedMessages: Number(row?.retried),
        oldestMessageMs: Number(row?.oldest),
      };
    },
  };
}

/** A lease while nothing is due writes nothing. */
function lookText(types: readonly string[] | null): string {
  const isWanted = types === null ? "true" : "type = ANY($3::text[])";
  return `SELECT (SELECT revision FROM iam.projection) AS revision,
    EXISTS (SELECT 1 FROM iam.turns WHERE turn <= $1 AND ${isWanted})
      OR EXISTS (SELECT 1 FROM iam.messages WHERE due > $2 AND attempts > 0) AS "isDue"`;
}

const leaseText =
  "SELECT position, field, attempts, since FROM derived.lease($1, $2, $3, $4, $5) ORDER BY nth";

/** By a statement of its own: that of the lease may be older than an event, and not see it. */
const eventsText = `WITH ${served} SELECT ${sealedColumns} FROM iam.events e
  WHERE e.position = ANY($1::bigint[])`;

const pendingText = `WITH ${served} SELECT m.position, m.field, m.due
  FROM iam.events e JOIN iam.messages m ON m.position = e.position WHERE e.stream = $1
  ORDER BY m.due, m.position, m.field LIMIT $2`;

/** Untried messages are first due when they are due, so the index of that says it of them. */
const waitingText = `SELECT
  (SELECT count(*) FROM
    (SELECT 1 FROM iam.messages WHERE attempts = 0 AND due > $1 LIMIT $2) AS counted) AS postponed,
  (SELECT count(*) FROM
    (SELECT 1 FROM iam.messages WHERE attempts = 0 AND due <= $1 LIMIT $2) AS counted) +
  (SELECT count(*) FROM
    (SELECT 1 FROM iam.messages WHERE attempts > 0 AND due <= $1 LIMIT $2) AS counted) AS due,
  (SELECT count(*) FROM
    (SELECT 1 FROM iam.messages WHERE attempts > 0 AND due > $1 LIMIT $2) AS counted) AS retried,
  $1 - least(
    (SELECT min(due) FROM iam.messages WHERE attempts = 0 AND due <= $1),
    (SELECT min(since) FROM
      (SELECT since FROM iam.messages WHERE attempts > 0 LIMIT $2) AS counted),
    $1) AS oldest`;

interface WaitingColumns {
  readonly postponed: bigint;
  readonly due: bigint;
  readonly retried: bigint;
  readonly oldest: bigint;
}

interface Look {
  readonly revision: bigint | null;
  readonly isDue: boolean;
}

interface LeaseColumns {
  readonly position: bigint;
  readonly field: string;
  readonly attempts: bigint;
  readonly since: bigint;
}

interface PendingColumns {
  readonly position: bigint;
  readonly field: string;
  readonly due: bigint;
}
