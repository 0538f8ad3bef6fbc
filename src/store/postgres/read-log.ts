import { createCheck, type KnownEnd } from "../chain/chain.ts";
import type { LogKeys } from "../chain/keys.ts";
import { type ReadLog, readLogBy } from "../read-log.ts";
import { findAttachment } from "./attachments.ts";
import { inDatabase } from "./database.ts";
import { readHead } from "./head.ts";
import { assertId, readOwn } from "./identity.ts";
import { postgresLimits } from "./limits.ts";
import { momentOf } from "./moment.ts";
import { createPool } from "./pool.ts";

/**
 * Opens the log in a database to read its events. Rejects with `StoreUnavailable` where that cannot
 * be read, and with an `Error` where there is none.
 */
export async function readPostgresLog(url: string): Promise<ReadLog> {
  const pool = createPool(url, { ...postgresLimits, connections: 1 });
  try {
    const id = await pool.using(assertId);
    const read = (after: bigint) =>
      pool.using(async (connection) => {
        const { position } = await readHead(connection);
        return await momentOf(connection, postgresLimits).events(after, position);
      });
    const attachment = (digest: string) => findAttachment(pool, digest);
    return readLogBy(id, { read, attachment, close: pool.close });
  } catch (error) {
    await pool.close();
    throw error;
  }
}

/**
 * The end of the log in a database. Rejects with an `Error` where there is none, or its last event
 * is not what was appended.
 */
export async function readPostgresEnd(url: string, keys: Pick<LogKeys, "open">): Promise<KnownEnd> {
  return await inDatabase(url, async (pool) => {
    const { id, events } = await pool.using(readOwn);
    const identity = { id, key: await keys.open(id, events) };
    const [last] = await pool.using(async (connection) => {
      const { position } = await readHead(connection);
      return await momentOf(connection, postgresLimits).events(position - 1n, position);
    });
    if (last === undefined || createCheck(identity)(last, undefined).length > 0) {
      throw new Error("its last event is not what was appended: run verify for more");
    }
    return { ...identity, position: last.position, link: last.link };
  });
}
