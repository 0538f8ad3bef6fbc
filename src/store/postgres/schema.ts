import { appendFunction } from "./append-function.ts";
import { eraseFunction } from "./erase-function.ts";
import { sqlStateOf } from "./errors.ts";
import { floor, migrations } from "./migrations.ts";
import type { Connection, Pool } from "./pool.ts";
import { turnFunctions } from "./turns.ts";

/** The lock for changing tables, for one transaction. */
const schemaLock = 4_938_271_002n;

/** The oldest server that this was run on. */
const oldestServer = 150_000;

/**
 * Brings the tables to the newest form, one process at a time. Rejects with an `Error` where the
 * server is too old, where a newer program made the tables, and where they have to be made or
 * changed and the role may not do so.
 */
export async function migrate(pool: Pool): Promise<void> {
  await pool.using(assertServer);
  if ((await pool.using(versionOf)) === schema) return;
  try {
    await pool.transaction("BEGIN ISOLATION LEVEL READ COMMITTED", async (connection) => {
      await connection.query("SELECT pg_advisory_xact_lock($1)", [schemaLock]);
      const version = await versionOf(connection);
      if (version === schema) return;
      const steps = migrations.slice(version === 0 ? 0 : version - floor + 1);
      for (const migration of steps) await connection.query(migration);
      await connection.query(functions);
      await connection.query("DELETE FROM iam.schema");
      await connection.query("INSERT INTO iam.schema VALUES ($1)", [schema]);
    });
  } catch (error) {
    if (sqlStateOf(error) !== "42501") throw error;
    throw new Error(
      "The tables of the log must be created or changed, but the role of IAM_DATABASE_URL " +
        "lacks the privilege. Run migrate with a role that has it.",
    );
  }
}

/**
 * Lets a role serve on the tables, and no more: it may read and append events, and never change
 * one. The name is that of the role, as it stands.
 */
export async function grantTo(connection: Connection, role: string): Promise<void> {
  const name = `"${role.replaceAll('"', '""')}"`;
  await connection.query(`GRANT USAGE ON SCHEMA iam TO ${name}`);
  await connection.query(`GRANT SELECT ON ALL TABLES IN SCHEMA iam TO ${name}`);
  await connection.query(`GRANT SELECT ON ALL SEQUENCES IN SCHEMA iam TO ${name}`);
  await connection.query(`GRANT INSERT ON iam.events, iam.attachments, iam.log TO ${name}`);
  await connection.query(`GRANT INSERT, UPDATE, DELETE ON ${derived} TO ${name}`);
}

/** Throws where there is no role of the name. */
export async function assertRole(connection: Connection, role: string): Promise<void> {
  const found = await connection.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [role]);
  if (found.length > 0) return;
  throw new Error(`There is no role ${role}: create it with CREATE ROLE, or name another.`);
}

/** What a service changes besides the log: it follows from it, or is of the moment. */
const derived = [
  ...["projection", "objects", "lists", "texts", "counts", "messages", "turns", "quotas"],
  ...["answers", "batches", "artifacts"],
]
  .map((table) => `iam.${table}`)
  .join(", ");

async function assertServer(connection: Connection): Promise<void> {
  const [server] = await connection.query<{ version: number; name: string; encoding: string }>(
    `SELECT current_setting('server_version_num')::int AS version,
       current_setting('server_version') AS name, current_setting('server_encoding') AS encoding`,
  );
  const { version = 0, name = "", encoding = "" } = server ?? {};
  if (version < oldestServer) {
    throw new Error(`The database is PostgreSQL ${name}: 15 is the oldest that is supported.`);
  }
  if (encoding !== "UTF8") {
    throw new Error(
      `The database has the encoding ${encoding}: create one with the encoding UTF8.`,
    );
  }
}

/**
 * The number of the form that the tables have; 0 where there are none. Throws for a newer one, and
 * for one of before the floor of upgrades.
 */
async function versionOf(connection: Connection): Promise<number> {
  // Looked up in the tables: what a session remembers of names may be older than the lock.
  const [table] = await connection.query<{ there: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = 'iam' AND c.relname = 'schema') AS there`,
  );
  if (table?.there !== true) return 0;
  const [row] = await connection.query<{ version: number }>("SELECT version FROM iam.schema");
  const version = row?.version ?? 0;
  if (isTooOld(version)) {
    throw new Error(
      `The database has schema ${version}, which is older than this program knows: ${openOnce}.`,
    );
  }
  if (version <= schema) return version;
  throw new Error(
    `The database has schema ${version}, but this program knows only up to ${schema}: ` +
      "use the newer version of the program that wrote it.",
  );
}

/** What is to be done with a log that was written before the floor of upgrades. */
export const openOnce = "open it once with commit 226d0ee, then with this program";

/** Whether tables of this form were made before the floor of upgrades. */
export function isTooOld(found: number): boolean {
  return found !== 0 && found < floor;
}

/** The functions, as each migration makes them anew: of the one before, all go. */
const functions = `
  DO $$ DECLARE each regprocedure; BEGIN
    FOR each IN SELECT oid FROM pg_proc WHERE pronamespace = 'iam'::regnamespace
    LOOP EXECUTE 'DROP FUNCTION ' || each; END LOOP;
  END $$;
  ${turnFunctions}
  ${eraseFunction}
  ${appendFunction}`;

/** The number of the newest form of the tables. */
export const schema = floor + migrations.length - 1;

/** All that makes tables, indexes and functions, in order. */
export const schemaText = [...migrations, functions].join("\n");
