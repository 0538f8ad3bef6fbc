import type { Projector } from "../projector.ts";
import { isOurs, unavailable } from "./errors.ts";
import { type PostgresLimits, postgresLimits } from "./limits.ts";
import { createPool, type Pool } from "./pool.ts";
import { assertRole, grantTo, migrate } from "./schema.ts";

/**
 * Does the work on the database of a URL, with connections of its own: of a revision, where the
 * work is on what follows from the log. Rejects with
 * `StoreUnavailable` where the database cannot be used, and else as the work does.
 */
export async function inDatabase<T>(
  url: string,
  work: (pool: Pool) => Promise<T>,
  limits: PostgresLimits = { ...postgresLimits, connections: 1 },
  revision?: number,
): Promise<T> {
  const pool = createPool(url, limits, revision);
  try {
    return await work(pool);
  } catch (error) {
    throw isOurs(error) ? error : unavailable(error);
  } finally {
    await pool.close();
  }
}

/**
 * Makes the tables in the database of a URL, or brings them up to date, and lets a role serve on
 * them where one is named. Rejects as `inDatabase` does, and where there is no such role, or a
 * newer program made them.
 */
export async function migrateDatabase(
  url: string,
  projector: Projector,
  role: string | undefined,
): Promise<void> {
  const migrateAll = async (pool: Pool) => {
    if (role !== undefined) await pool.using((connection) => assertRole(connection, role));
    await migrate(pool, projector);
    if (role === undefined) return;
    await pool.using((connection) => grantTo(connection, role, projector));
  };
  await inDatabase(url, migrateAll, undefined, projector.revision);
}
