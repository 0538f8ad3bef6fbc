import { isOurs, unavailable } from "./errors.ts";
import { type PostgresLimits, postgresLimits } from "./limits.ts";
import { createPool, type Pool } from "./pool.ts";

/**
 * Does the work on the database of a URL, with connections of its own. Rejects with
 * `StoreUnavailable` where the database cannot be used, and else as the work does.
 */
export async function inDatabase<T>(
  url: string,
  work: (pool: Pool) => Promise<T>,
  limits: PostgresLimits = { ...postgresLimits, connections: 1 },
): Promise<T> {
  const pool = createPool(url, limits);
  try {
    return await work(pool);
  } catch (error) {
    throw isOurs(error) ? error : unavailable(error);
  } finally {
    await pool.close();
  }
}
