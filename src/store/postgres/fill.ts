import { type BroughtEvent, type End, isSame, type SealedEvent } from "../chain/chain.ts";
import { firstLink } from "../chain/link.ts";
import { erasedPayload, erasuresIn } from "../erasure.ts";
import type { Filling } from "../filling.ts";
import { createSteps } from "../progress.ts";
import { addAttachments } from "./attachments.ts";
import { inDatabase } from "./database.ts";
import { isErasedByLast, toErased } from "./erase-function.ts";
import { isOurs, unavailable } from "./errors.ts";
import { hasTables, idsIn, ownEvents } from "./identity.ts";
import { longMs, type PostgresLimits, postgresLimits } from "./limits.ts";
import { type Connection, createPool, type Pool } from "./pool.ts";
import { assertChain, rebuild, revisionIn, whileLocked } from "./rebuild.ts";
import { countAll, rebuildingOf } from "./rebuild-database.ts";
import { migrate } from "./schema.ts";
import { toStored } from "./text.ts";

/**
 * Begins to fill a database with the events of a log, or goes on with that: its tables are made
 * where there are none, and brought up to date by the first events that are added. While it is
 * being filled the log has no id there, so nothing opens it, and a service that had it open writes
 * nothing. Rejects with `StoreUnavailable` where the database cannot be written.
 */
export async function fillPostgres(
  url: string,
  replaced: Partial<PostgresLimits> = {},
): Promise<Filling> {
  const limits = { ...postgresLimits, statementMs: longMs, connections: 1, ...replaced };
  const pool = createPool(url, limits);
  const ours = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw isOurs(error) ? error : unavailable(error);
    }
  };
  const begin = async () => {
    // Those of another log are left as they are: nodes of an older version may serve it.
    if (!(await pool.using(hasTables))) await migrate(pool);
    const [id] = await pool.using(idsIn);
    return { id, end: await pool.using(endIn) };
  };
  const begun = await ours(begin()).catch(async (error) => {
    await pool.close();
    throw error;
  });
  let { end } = begun;
  let migrated: Promise<unknown> | undefined;
  const add = async (events: readonly BroughtEvent[]) => {
    migrated ??= migrate(pool);
    await migrated;
    await whileFilling(pool, end, async (connection) => {
      await insertEvents(connection, events);
      await eraseBy(connection, erasuresIn(events));
      const attached = events.flatMap((event) => event.attached ?? []);
      await addAttachments(connection, attached);
      end = events.at(-1) ?? end;
    });
  };
  return {
    ...begun,
    add: (events) => ours(add(events)),
    finish: ({ id, keys, projector, asking, progress }) => {
      const make = async (own: Pool) => {
        await migrate(own, projector);
        return await whileFilling(own, end, async (connection) => {
          const key = await keys.open(id, await ownEvents(connection, id));
          const steps = createSteps(limits.progressSteps, progress);
          const rebuilding = { ...rebuildingOf({ id, key }), projector, limits, steps, asking };
          await revisionIn(connection, projector);
          await assertChain(connection, rebuilding);
          await rebuild(connection, rebuilding);
          await connection.query("INSERT INTO iam.log VALUES ($1)", [toStored(id)]);
          return await countAll(connection);
        });
      };
      return inDatabase(url, make, limits, projector.revision);
    },
    close: () => pool.close(),
  };
}

/** Does work behind an end that nobody else has moved; from then on nobody can open the log. */
async function whileFilling<T>(
  pool: Pool,
  end: End,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  return await whileLocked(pool, async (connection) => {
    const now = await endIn(connection);
    if (now.position !== end.position || !isSame(now.link, end.link)) {
      throw new Error("another process has written there meanwhile");
    }
    await connection.query("DELETE FROM iam.log");
    return await work(connection);
  });
}

/** Where the events of a database end. */
async function endIn(connection: Pick<Pool, "query">): Promise<End> {
  const [last] = await connection.query<End>(
    "SELECT position, link FROM iam.events ORDER BY position DESC LIMIT 1",
  );
  return last ?? { position: 0n, link: firstLink };
}

async function insertEvents(connection: Connection, events: readonly SealedEvent[]): Promise<void> {
  const columns = events.map(({ stream, type, owner, actor, payload, ...rest }) => ({
    ...rest,
    texts: [stream, type, owner, actor, payload].map(toStored),
  }));
  const text = (index: number) => columns.map(({ texts }) => texts[index]);
  await connection.query(
    `INSERT INTO iam.events
         (position, stream, version, type, owner, actor, time, payload, salt, mac, link)
       SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[],
         $6::text[], $7::bigint[], $8::text[], $9::bytea[], $10::bytea[], $11::bytea[])`,
    [
      columns.map(({ position }) => position),
      text(0),
      columns.map(({ version }) => version),
      ...[text(1), text(2), text(3)],
      columns.map(({ timeMs }) => timeMs),
      text(4),
      columns.map(({ salt }) => salt),
      columns.map(({ mac }) => mac),
      columns.map(({ link }) => link),
    ],
  );
}

/** Erases the payloads that some events erase. */
async function eraseBy(connection: Connection, erasures: readonly SealedEvent[]): Promise<void> {
  if (erasures.length === 0) return;
  // Nobody has counted the rows of a table that is being filled: they are looked up by their keys.
  await connection.query("SET LOCAL enable_seqscan = off");
  await connection.query(
    `UPDATE iam.events e SET ${toErased} FROM iam.events last
       WHERE last.position = ANY($1::bigint[]) AND e.stream = last.stream
         AND e.version < last.version AND e.payload <> '${erasedPayload}' AND ${isErasedByLast}`,
    [erasures.map(({ position }) => position)],
  );
}
