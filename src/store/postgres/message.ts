import { Forged } from "../chain/forged.ts";
import type { LeasedMessage, LeaseQuery } from "../message.ts";
import { StoreUnavailable } from "../store.ts";
import type { Pool } from "./pool.ts";
import { type SealedColumns, sealedColumns, type ToEvent } from "./row.ts";
import { fromStored, toStored } from "./text.ts";

/** The half of `Store` that hands out messages. */
export interface Messages {
  lease(query: LeaseQuery): Promise<readonly LeasedMessage[]>;
  postpone(message: LeasedMessage, dueMs: number): Promise<void>;
}

/**
 * Makes it for messages that are made with the projection revision. When a newer program took over
 * the log, nothing is leased any more: what became of a message could not be recorded. A message of
 * an event that is not what was appended is leased to nobody, and keeps no other from being sent.
 */
export function createMessages(
  pool: Pool,
  { revision, toEvent }: { readonly revision: number; readonly toEvent: ToEvent },
): Messages {
  const eventOf = (columns: SealedColumns) => {
    try {
      return toEvent(columns);
    } catch (error) {
      if (!(error instanceof Forged)) throw error;
      return undefined;
    }
  };
  return {
    lease: async ({ types, leaseMs, limit, pauseMaxMs, ...query }) => {
      const nowMs = Math.floor(query.nowMs);
      // The time after which nothing is due that was put off by a clock that is right.
      const farMs = pauseMaxMs === undefined ? Number.MAX_SAFE_INTEGER : nowMs + pauseMaxMs;
      const [look] = await pool.query<Look>(lookText, [nowMs, farMs]);
      if (Number(look?.revision ?? -1) !== revision) {
        throw new StoreUnavailable("A newer program has taken over the log; start that one.");
      }
      if (look?.far) await pool.query(capText, [nowMs, farMs]);
      if (!look?.due && !look?.far) return [];
      const wanted = types === undefined ? null : types.map(toStored);
      const rows = await pool.query<MessageColumns>(leaseText, [
        ...[nowMs, wanted, limit, nowMs + leaseMs],
      ]);
      return rows.flatMap(({ field, attempts, since, ...columns }) => {
        const event = eventOf(columns);
        const said = { field: fromStored(field), attempts: Number(attempts) };
        return event === undefined ? [] : [{ event, ...said, sinceMs: Number(since) }];
      });
    },
    postpone: async ({ event, field, attempts }, dueMs) => {
      // Each lease has a number of its own, so an outdated one moves nothing.
      await pool.query(
        "UPDATE iam.messages SET due = $1 WHERE position = $2 AND field = $3 AND attempts = $4",
        [dueMs, event.position, toStored(field), attempts],
      );
    },
  };
}

// Whoever asks while nothing is due writes nothing.
const lookText = `SELECT (SELECT revision FROM iam.projection) AS revision,
  EXISTS (SELECT 1 FROM iam.messages WHERE due <= $1) AS due,
  EXISTS (SELECT 1 FROM iam.messages WHERE due > $2 AND attempts > 0) AS far`;

const capText = "UPDATE iam.messages SET due = $1 WHERE due > $2 AND attempts > 0";

// What somebody else is just taking is passed over.
const leaseText = `
  WITH wanted AS (
    SELECT m.position, m.field, m.due FROM iam.messages m
      JOIN iam.events e ON e.position = m.position
      WHERE m.due <= $1 AND ($2::text[] IS NULL OR e.type = ANY($2::text[]))
      ORDER BY m.due, m.position, m.field LIMIT $3 FOR UPDATE OF m SKIP LOCKED
  ), leased AS (
    UPDATE iam.messages m SET due = $4, attempts = m.attempts + 1 FROM wanted w
      WHERE m.position = w.position AND m.field = w.field
      RETURNING m.position, m.field, m.attempts, m.since, w.due
  )
  SELECT ${sealedColumns}, l.field, l.attempts, l.since FROM leased l
    JOIN iam.events e ON e.position = l.position ORDER BY l.due, l.position, l.field`;

interface Look {
  readonly revision: bigint | null;
  readonly due: boolean;
  readonly far: boolean;
}

interface MessageColumns extends SealedColumns {
  readonly field: string;
  readonly attempts: bigint;
  readonly since: bigint;
}
