import { setTimeout as pause } from "node:timers/promises";
import { inDatabase } from "./database.ts";
import { removeDerived } from "./derived.ts";
import { sqlStateOf } from "./errors.ts";
import { readHead } from "./head.ts";
import { longMs } from "./limits.ts";
import { momentOf } from "./moment.ts";
import type { Connection, Pool } from "./pool.ts";
import {
  assertChain,
  lockLog,
  makeAll,
  makeStreams,
  type Rebuilding,
  rebuild,
  revisionIn,
  takeOver,
  whileLocked,
} from "./rebuild.ts";
import { fromStored } from "./text.ts";

/**
 * Sees to it that what follows from the log is made with the projector's revision, of a log that is
 * whole. Rejects when the stored one is higher. Where nodes of a lower one may serve, its tables
 * are built beside theirs, and they go on until this revision takes over.
 */
export async function bringUpToDate(
  pool: Pool,
  url: string,
  rebuilding: Rebuilding,
): Promise<void> {
  const { projector, limits } = rebuilding;
  const revision = await pool.using((connection) => revisionIn(connection, projector));
  if (revision === projector.revision) return;
  const make = revision < 0 ? buildAlone : buildBeside;
  const long = { ...limits, connections: 1, statementMs: longMs };
  await inDatabase(url, (own) => make(own, rebuilding), long, projector.revision);
}

/** Makes all tables while nobody appends: no node serves what was there. */
async function buildAlone(pool: Pool, rebuilding: Rebuilding): Promise<void> {
  const { projector } = rebuilding;
  await whileLocked(pool, async (connection) => {
    if ((await revisionIn(connection, projector)) === projector.revision) return;
    await assertChain(connection, rebuilding);
    await rebuild(connection, rebuilding);
  });
}

/**
 * Makes the tables of the log as it is at one moment, then again and again of what was appended
 * meanwhile, until that is little: this rest is made while nobody appends. Each step is a
 * transaction, so a start that was ended goes on where it was.
 */
async function buildBeside(pool: Pool, rebuilding: Rebuilding): Promise<void> {
  const { catchUpEvents, catchUpRounds } = rebuilding.limits;
  const step = <T>(work: (connection: Connection) => Promise<T>) =>
    whileBuilding(pool, "REPEATABLE READ", rebuilding, work);
  await step((connection) => build(connection, rebuilding));
  for (let round = 0; round < catchUpRounds; round += 1) {
    const events = (await step((connection) => catchUp(connection, rebuilding))) ?? 0;
    if (events <= catchUpEvents) break;
  }
  await switchOver(pool, rebuilding);
}

/**
 * Adds the rest and takes over, while nobody appends. Where somebody holds what it needs for longer
 * than `switchLockMs`, writes go on, and it tries again. A node that stands still meanwhile is
 * given up by the server.
 */
async function switchOver(pool: Pool, rebuilding: Rebuilding): Promise<void> {
  const { switchLockMs, switchIdleMs, switchTries, retryMaxMs } = rebuilding.limits;
  const bounds = `SET LOCAL lock_timeout = ${switchLockMs};
    SET LOCAL idle_in_transaction_session_timeout = ${switchIdleMs}`;
  for (let tries = 1; ; tries += 1) {
    try {
      return await whileBuilding(pool, "READ COMMITTED", rebuilding, async (connection) => {
        await connection.query(bounds);
        await lockLog(connection);
        await revisionIn(connection, rebuilding.projector);
        await catchUp(connection, rebuilding);
        await takeOver(connection);
      });
    } catch (error) {
      if (sqlStateOf(error) !== "55P03" || tries === switchTries) throw error;
      await pause(retryMaxMs);
    }
  }
}

/**
 * Does a step, one node at a time; nothing once another has taken over with the same revision. What
 * it reads of the log is of the moment at which it has the lock, or of a later one.
 */
async function whileBuilding<T>(
  pool: Pool,
  isolation: "REPEATABLE READ" | "READ COMMITTED",
  { projector }: Rebuilding,
  work: (connection: Connection) => Promise<T>,
): Promise<T | undefined> {
  return await pool.transaction(`BEGIN ISOLATION LEVEL ${isolation}`, async (connection) => {
    await connection.query("LOCK TABLE derived.built IN EXCLUSIVE MODE");
    const revision = await revisionIn(connection, projector);
    return revision === projector.revision ? undefined : await work(connection);
  });
}

/** Makes all tables, unless they were made of this log before. */
async function build(connection: Connection, rebuilding: Rebuilding): Promise<void> {
  if ((await builtIn(connection)) !== undefined) return;
  await assertChain(connection, rebuilding);
  await makeAll(connection, rebuilding);
  await noteBuilt(connection);
}

/** Makes anew what follows from streams that have new events; answers how many events are new. */
async function catchUp(connection: Connection, rebuilding: Rebuilding): Promise<number> {
  const after = (await builtIn(connection)) ?? 0n;
  const { position } = await readHead(connection);
  await assertChain(connection, rebuilding, after);
  const rows = await connection.query<{ stream: string }>(
    "SELECT DISTINCT stream FROM iam.events WHERE position > $1 ORDER BY stream",
    [after],
  );
  const streams = rows.map((row) => fromStored(row.stream));
  // First of all: a claim may have moved from any of them to any other.
  await removeDerived(connection, streams);
  const { limits } = rebuilding;
  for (let from = 0; from < streams.length; from += limits.streamsAtOnce) {
    const some = streams.slice(from, from + limits.streamsAtOnce);
    await makeStreams(connection, momentOf(connection, limits, some), rebuilding);
  }
  await noteBuilt(connection);
  return Number(position - after);
}

/** The position up to which the tables are made of this log; undefined where they are not. */
async function builtIn(connection: Connection): Promise<bigint | undefined> {
  const [built] = await connection.query<{ position: bigint }>(
    "SELECT position FROM derived.built b JOIN iam.events e USING (position, link)",
  );
  return built?.position;
}

/** Notes that they are made up to where the transaction sees the log end. */
async function noteBuilt(connection: Connection): Promise<void> {
  await connection.query("DELETE FROM derived.built");
  await connection.query(
    `INSERT INTO derived.built
       SELECT position, link FROM iam.events ORDER BY position DESC LIMIT 1`,
  );
}
