import { inDatabase } from "./database.ts";
import { longMs, postgresLimits } from "./limits.ts";
import type { Pool } from "./pool.ts";

/**
 * Writes the tables of a log anew, each while nobody else may use it, so that their files have
 * nothing but their rows; and the statistics about them, which repeat values. Rejects with
 * `StoreUnavailable` where the database cannot be used, and with an `Error` where its role owns
 * less than the tables and the database.
 */
export async function vacuumPostgres(url: string): Promise<void> {
  const limits = { ...postgresLimits, statementMs: longMs, connections: 1 };
  await inDatabase(
    url,
    async (pool) => {
      const owned = await pool.query<{ name: string; isOwn: boolean }>(
        `SELECT format('table %I.%I', schemaname, tablename) AS name,
           pg_has_role(tableowner, 'USAGE') AS "isOwn"
         FROM pg_tables WHERE schemaname ~ '^iam(_r[0-9]+(_gone[0-9]+)?)?$'
         UNION ALL SELECT 'database', pg_has_role(datdba, 'USAGE')
           FROM pg_database WHERE datname = current_database()
         ORDER BY 1 DESC`,
      );
      // PostgreSQL would pass over what others own, with a mere warning.
      const other = owned.find(({ isOwn }) => !isOwn);
      if (other !== undefined) throw new Error(`its role does not own the ${other.name}`);
      const hasLog = owned.some(({ name }) => name === "table iam.events");
      if (!hasLog) throw new Error("there is no log");
      await emptyOthers(pool);
      const tables = await pool.query<{ name: string }>(
        `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
           WHERE schemaname ~ '^iam(_r[0-9]+)?$'`,
      );
      for (const { name } of tables) await pool.query(`VACUUM (FULL, ANALYZE) ${name}`);
      await pool.query("VACUUM FULL pg_catalog.pg_statistic");
    },
    limits,
  );
}

/**
 * Drops what older revisions have left, and empties the tables of newer ones that serve not yet: no
 * erasure reaches them. A node that was filling those begins anew.
 */
async function emptyOthers(pool: Pool): Promise<void> {
  const others = await pool.query<{ text: string }>(
    `SELECT CASE WHEN schemaname ~ 'gone' THEN format('DROP SCHEMA %I CASCADE', schemaname)
         ELSE string_agg(format('TRUNCATE %I.%I', schemaname, tablename), '; ') END AS text
       FROM pg_tables WHERE schemaname ~ '^iam_r[0-9]+(_gone[0-9]+)?$'
         AND schemaname <> 'iam_r' || (SELECT abs(revision) FROM iam.projection)
       GROUP BY schemaname`,
  );
  for (const { text } of others) await pool.query(text);
}
