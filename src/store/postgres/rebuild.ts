import type { Check } from "../chain/chain.ts";
import { firstLink } from "../chain/link.ts";
import type { RowMac } from "../chain/row-mac.ts";
import type { Asking } from "../message.ts";
import type { Steps } from "../progress.ts";
import type { Projector } from "../projector.ts";
import { walkChain } from "../verify/chain.ts";
import type { Moment } from "../verify/reader.ts";
import { wholeStreams } from "../verify/streams.ts";
import { logLock } from "./append-parameters.ts";
import { derive, nothingDerived, writeDerived } from "./derived.ts";
import { readHead } from "./head.ts";
import type { PostgresLimits } from "./limits.ts";
import { momentOf } from "./moment.ts";
import type { Connection, Pool } from "./pool.ts";
import { createRecount, type Recount } from "./recount.ts";

/** What rows are made with. */
export interface Rebuilding {
  readonly log: string;
  readonly projector: Projector;
  readonly check: Check;
  readonly rowMac: RowMac;
  readonly limits: PostgresLimits;
  readonly steps?: Steps | undefined;
  /** Given, what was used of quotas is counted anew as well: for a database that has only a log. */
  readonly asking?: Asking | undefined;
}

/** Does work in a transaction during which nobody appends. */
export async function whileLocked<T>(
  pool: Pool,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  return await pool.transaction("BEGIN ISOLATION LEVEL READ COMMITTED", async (connection) => {
    await lockLog(connection);
    return await work(connection);
  });
}

/** Has all who append wait until the transaction ends. */
export async function lockLog(connection: Connection): Promise<void> {
  await connection.query("SELECT pg_advisory_xact_lock($1)", [logLock]);
}

/**
 * The revision that objects were made with, below 0 where they are to be made anew. Rejects where a
 * newer program has made them.
 */
export async function revisionIn(connection: Connection, { revision }: Projector): Promise<number> {
  const [row] = await connection.query<{ revision: bigint }>("SELECT revision FROM iam.projection");
  const stored = Number(row?.revision ?? -1);
  if (Math.abs(stored) <= revision) return stored;
  throw new Error(
    `The database has objects of projection revision ${Math.abs(stored)}, but this program makes ` +
      `revision ${revision}: use the newer version of the program that wrote it.`,
  );
}

/**
 * Rejects at the first event behind a position that is missing, or not what was appended.
 */
export async function assertChain(
  connection: Connection,
  { log, check, limits, steps }: Pick<Rebuilding, "log" | "check" | "limits" | "steps">,
  after = 0n,
): Promise<void> {
  const moment = momentOf(connection, limits);
  const { position: last } = await readHead(connection);
  const begin = { position: after, link: (await moment.linkAt(after)) ?? firstLink };
  const fail = (damage: string) => {
    throw new Error(`${damage}. Run verify for more, and restore the newest copy.`);
  };
  const chain = walkChain(check, fail, { id: log, after: begin, last, steps });
  for (let from = chain.from; ; ) {
    const events = await moment.events(from, last);
    events.forEach(chain.look);
    const [end] = events.slice(-1);
    if (end === undefined) return;
    from = end.position;
  }
}

/**
 * Makes objects, claims and messages anew from the log, whatever they were; messages that were
 * pending stay due when they were. Call it in a transaction that has the lock of the log. It holds
 * the events of one stream in memory at a time, or those of a page, and rejects with the name of
 * the stream when the projector throws or gives it a claim that another stream holds.
 */
export async function rebuild(connection: Connection, rebuilding: Rebuilding): Promise<void> {
  const { limits, asking } = rebuilding;
  await connection.query("DELETE FROM iam.answers");
  const recount = asking && (await createRecount(connection, asking, limits));
  await makeAll(connection, rebuilding, recount);
  await takeOver(connection, recount);
}

/** Makes all that follows from the log as the transaction sees it, for `takeOver` to go on with. */
export async function makeAll(
  connection: Connection,
  rebuilding: Rebuilding,
  recount?: Recount,
): Promise<void> {
  for (const table of ["built", "lists", "texts", "objects", "counts", "pending"]) {
    await connection.query(`DELETE FROM derived.${table}`);
  }
  const moment = momentOf(connection, rebuilding.limits);
  const { events } = await moment.size();
  rebuilding.steps?.begin("folding", Number(events), "events");
  await makeStreams(connection, moment, rebuilding, recount);
  if (events > 0n) await connection.query("SELECT derived.analyze()");
}

/** Makes what follows from all streams of a moment, of which there are no rows. */
export async function makeStreams(
  connection: Connection,
  moment: Moment,
  { projector, rowMac, steps }: Rebuilding,
  recount?: Recount,
): Promise<void> {
  for (let last: string | undefined; ; ) {
    const page = await wholeStreams(moment, last);
    last = page.at(-1)?.stream;
    if (last === undefined) return;
    const derived = nothingDerived();
    for (const [stream, events] of Map.groupBy(page, (event) => event.stream)) {
      try {
        derive(derived, rowMac, events, projector.project(events));
      } catch (cause) {
        throw new Error(`${stream} cannot be rebuilt from its events.`, { cause });
      }
      recount?.hear(events);
      for (const _ of events) steps?.done();
    }
    await writeDerived(connection, derived);
    await recount?.keep();
  }
}

/**
 * Has all nodes go on with what was made: the messages that are pending by it stay due when they
 * were, if they were pending before. Call it in a transaction that has the lock of the log.
 */
export async function takeOver(connection: Connection, recount?: Recount): Promise<void> {
  // Leases wait as well.
  await connection.query("LOCK TABLE iam.messages, iam.turns IN SHARE ROW EXCLUSIVE MODE");
  await connection.query(
    `DELETE FROM iam.messages m WHERE NOT EXISTS (
       SELECT FROM derived.pending p WHERE p.position = m.position AND p.field = m.field)`,
  );
  await connection.query(
    `INSERT INTO iam.messages AS m (position, field, due, since, attempts, type, owner)
       SELECT position, field, due, due, 0, type, owner FROM derived.pending
     ON CONFLICT (position, field) DO UPDATE SET type = excluded.type, owner = excluded.owner
       WHERE (m.type, m.owner) <> (excluded.type, excluded.owner)`,
  );
  for (const table of ["pending", "built"]) await connection.query(`DELETE FROM derived.${table}`);
  await recount?.count();
  await connection.query("DELETE FROM iam.turns");
  await connection.query(
    `INSERT INTO iam.turns (type, owner, turn)
       SELECT type, owner, min(due) FROM iam.messages GROUP BY type, owner ORDER BY min(position)`,
  );
  await connection.query("SELECT derived.take_over()");
}
