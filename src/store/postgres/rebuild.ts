import type { RecordedEvent } from "../../event.ts";
import type { Check } from "../chain/chain.ts";
import type { RowMac } from "../chain/row-mac.ts";
import type { Projector } from "../projector.ts";
import { logLock } from "./append-parameters.ts";
import { assertChain } from "./chain.ts";
import { derive, nothingDerived, writeDerived } from "./derived.ts";
import type { PostgresLimits } from "./limits.ts";
import type { Connection, Pool } from "./pool.ts";
import { type EventColumns, eventColumns, toEvent } from "./row.ts";
import { toStored } from "./text.ts";

/** What rows are made with. */
export interface Rebuilding {
  readonly projector: Projector;
  readonly check: Check;
  readonly rowMac: RowMac;
  readonly limits: PostgresLimits;
}

/**
 * Sees to it that what follows from the log is made with the projector's revision: rebuilds it when
 * the stored one is lower, from a log that is whole, and rejects when it is higher.
 */
export async function bringUpToDate(pool: Pool, rebuilding: Rebuilding): Promise<void> {
  const { projector, check, limits } = rebuilding;
  if (
    (await pool.using((connection) => revisionIn(connection, projector))) === projector.revision
  ) {
    return;
  }
  await pool.transaction("BEGIN ISOLATION LEVEL READ COMMITTED", async (connection) => {
    await connection.query("SELECT pg_advisory_xact_lock($1)", [logLock]);
    if ((await revisionIn(connection, projector)) === projector.revision) return;
    await assertChain(connection, check, { after: 0n, eventsAtOnce: limits.eventsAtOnce });
    await rebuild(connection, rebuilding);
  });
}

/** The revision that objects were made with. Rejects where a newer program has made them. */
async function revisionIn(connection: Connection, { revision }: Projector): Promise<number> {
  const [row] = await connection.query<{ revision: bigint }>("SELECT revision FROM iam.projection");
  const stored = Number(row?.revision ?? -1);
  if (stored <= revision) return stored;
  throw new Error(
    `The database has objects of projection revision ${stored}, but this program makes revision ` +
      `${revision}: it was written by a newer program; use that one.`,
  );
}

/**
 * Makes objects, claims and messages anew from the log, whatever they were; messages that were
 * pending stay due when they were. Call it in a transaction that has the lock of the log. It holds
 * the events of one stream in memory at a time, and rejects with the name of the stream when the
 * projector throws or gives it a claim that another stream holds.
 */
export async function rebuild(
  connection: Connection,
  { projector, rowMac, limits }: Rebuilding,
): Promise<void> {
  // Whoever leases waits as well.
  await connection.query("LOCK TABLE iam.messages, iam.turns IN SHARE ROW EXCLUSIVE MODE");
  for (const table of ["claims", "objects", "fields", "counts", "turns", "answers"]) {
    await connection.query(`DELETE FROM iam.${table}`);
  }
  await connection.query(
    `DELETE FROM iam.messages m
       WHERE NOT EXISTS (SELECT 1 FROM iam.events e WHERE e.position = m.position)`,
  );
  let derived = nothingDerived();
  let gathered = 0;
  for await (const events of streamsOf(connection, limits.eventsAtOnce)) {
    const stream = events[0]?.stream ?? "";
    try {
      derive(derived, rowMac, events, projector.project(events));
    } catch (cause) {
      throw new Error(`${stream} cannot be rebuilt from its events.`, { cause });
    }
    gathered += events.length;
    if (gathered < limits.eventsAtOnce) continue;
    await writeDerived(connection, derived);
    derived = nothingDerived();
    gathered = 0;
  }
  await writeDerived(connection, derived);
  await connection.query(
    `INSERT INTO iam.counts (kind, parent, objects)
       SELECT kind, parent, count(*) FROM iam.objects WHERE kind IS NOT NULL GROUP BY kind, parent`,
  );
  await connection.query(
    `INSERT INTO iam.turns (type, owner, turn)
       SELECT type, owner, min(due) FROM iam.messages GROUP BY type, owner ORDER BY min(position)`,
  );
  await connection.query("DELETE FROM iam.projection");
  await connection.query("INSERT INTO iam.projection VALUES ($1)", [projector.revision]);
}

/** All events of each stream, in order. */
async function* streamsOf(
  connection: Connection,
  eventsAtOnce: number,
): AsyncGenerator<readonly RecordedEvent[]> {
  let one: RecordedEvent[] = [];
  for (;;) {
    const last = one.at(-1);
    const rows = await connection.query<EventColumns>(
      `SELECT ${eventColumns} FROM iam.events e WHERE (e.stream, e.version) > ($1, $2)
         ORDER BY e.stream, e.version LIMIT $3`,
      [toStored(last?.stream ?? ""), last?.version ?? 0, eventsAtOnce],
    );
    for (const event of rows.map(toEvent)) {
      if (one[0] !== undefined && one[0].stream !== event.stream) {
        yield one;
        one = [];
      }
      one.push(event);
    }
    if (rows.length === eventsAtOnce) continue;
    if (one.length > 0) yield one;
    return;
  }
}
