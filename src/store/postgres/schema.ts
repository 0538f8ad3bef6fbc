import type { Projector } from "../projector.ts";
import { sqlStateOf } from "./errors.ts";
import { floor, migrations } from "./migrations.ts";
import type { Connection, Pool } from "./pool.ts";
import { revisionIn } from "./rebuild.ts";
import { madeText, schemaOf } from "./revision.ts";

/** The lock for changing tables, for one transaction. */
const schemaLock = 4_938_271_002n;

/** The oldest server that this was run on. */
const oldestServer = 150_000;

/**
 * Brings the tables to the newest form, one process at a time, and makes those of the projector's
 * revision where they are missing, which is that of the pool; left out, those of the log alone.
 * Rejects with an `Error` where the server is too old, where a newer program made the tables, and
 * where they have to be made or changed and the role may not do so.
 */
export async function migrate(pool: Pool, projector?: Projector): Promise<void> {
  await pool.using(assertServer);
  const isDone = async (connection: Connection) =>
    (await versionOf(connection)) === schema &&
    (projector === undefined || (await isMade(connection, projector)));
  if (await pool.using(isDone)) return;
  try {
    await pool.transaction("BEGIN ISOLATION LEVEL READ COMMITTED", async (connection) => {
      await connection.query("SELECT pg_advisory_xact_lock($1)", [schemaLock]);
      await migrateLog(connection);
      if (projector !== undefined) await make(connection, projector);
    });
  } catch (error) {
    if (sqlStateOf(error) !== "42501") throw error;
    throw mayNot();
  }
}

/** Whether there are tables. Rejects as `migrate` does of a server or tables that it is not for. */
export async function hasKnownTables(pool: Pool): Promise<boolean> {
  await pool.using(assertServer);
  return (await pool.using(versionOf)) > 0;
}

function mayNot(): Error {
  return new Error(
    "The tables of the log must be created or changed, but the role of IAM_DATABASE_URL " +
      "lacks the privilege. Run migrate with a role that has it: the owner of iam.events, with " +
      "CREATE on the database.",
  );
}

async function migrateLog(connection: Connection): Promise<void> {
  const version = await versionOf(connection);
  if (version === schema) return;
  const steps = migrations.slice(version === 0 ? 0 : version - floor + 1);
  for (const migration of steps) await connection.query(migration);
  await connection.query("DELETE FROM iam.schema");
  await connection.query("INSERT INTO iam.schema VALUES ($1)", [schema]);
}

/** Makes the tables of a revision, empty, unless there are any; roles that serve may use them. */
async function make(connection: Connection, projector: Projector): Promise<void> {
  const revision = await revisionIn(connection, projector);
  if (await isMade(connection, projector)) return;
  const made = schemaOf(projector.revision);
  const [owner] = await connection.query<{ name: string; isOurs: boolean }>(
    `SELECT relowner::regrole::text AS name, pg_has_role(relowner, 'USAGE') AS "isOurs"
       FROM pg_class WHERE oid = 'iam.events'::regclass`,
  );
  if (owner?.isOurs !== true) throw mayNot();
  await connection.query(`CREATE SCHEMA ${made} AUTHORIZATION ${owner.name}`);
  // Some functions may do what their owner may: that is never more than the owner of the log.
  await connection.query(`SET LOCAL ROLE ${owner.name}`);
  await connection.query(madeText);
  await connection.query(`REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ${made} FROM PUBLIC`);
  // Somebody has removed what was there.
  if (revision === projector.revision) {
    await connection.query("UPDATE iam.projection SET revision = -revision");
  }
  const roles = await connection.query<{ role: string }>(
    `SELECT DISTINCT grantee::regrole::text AS role FROM pg_class, aclexplode(relacl)
       WHERE oid = 'iam.events'::regclass AND privilege_type = 'INSERT'
         AND grantee NOT IN (0, relowner)`,
  );
  for (const { role } of roles) await grantMade(connection, role, projector);
}

/** Whether the schema of a revision is there. Rejects where it holds what somebody else owns. */
async function isMade(connection: Connection, { revision }: Projector): Promise<boolean> {
  const name = schemaOf(revision);
  const [made] = await connection.query<{ isOwn: boolean | null }>(
    `SELECT bool_and(owner = (SELECT relowner FROM pg_class WHERE oid = 'iam.events'::regclass))
         AS "isOwn"
       FROM (SELECT nspowner AS owner FROM pg_namespace WHERE nspname = $1
         UNION ALL SELECT relowner FROM pg_class WHERE relnamespace = to_regnamespace($1)
         UNION ALL SELECT proowner FROM pg_proc
           WHERE pronamespace = to_regnamespace($1)) AS owners`,
    [name],
  );
  if (made?.isOwn !== false) return made?.isOwn === true;
  throw new Error(
    `The schema ${name} has another owner than iam.events, or holds what has: drop it, ` +
      "and start again.",
  );
}

/**
 * Lets a role serve on the tables, and no more: it may read and append events, and never change
 * one. The name is that of the role, as it stands.
 */
export async function grantTo(
  connection: Connection,
  role: string,
  projector: Projector,
): Promise<void> {
  const name = `"${role.replaceAll('"', '""')}"`;
  await connection.query(`GRANT USAGE ON SCHEMA iam TO ${name}`);
  await connection.query(`GRANT SELECT ON ALL TABLES IN SCHEMA iam TO ${name}`);
  await connection.query(`GRANT SELECT ON ALL SEQUENCES IN SCHEMA iam TO ${name}`);
  await connection.query(`GRANT INSERT ON iam.events, iam.attachments, iam.log TO ${name}`);
  await connection.query(`GRANT INSERT, UPDATE, DELETE ON ${passing} TO ${name}`);
  await grantMade(connection, name, projector);
}

/** The same on the tables of a revision alone. The name is an identifier of SQL. */
async function grantMade(
  connection: Connection,
  name: string,
  { revision }: Projector,
): Promise<void> {
  const made = schemaOf(revision);
  await connection.query(`GRANT USAGE ON SCHEMA ${made} TO ${name}`);
  await connection.query(
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${made} TO ${name}`,
  );
  await connection.query(`GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${made} TO ${name}`);
}

/** Throws where there is no role of the name. */
export async function assertRole(connection: Connection, role: string): Promise<void> {
  const found = await connection.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [role]);
  if (found.length > 0) return;
  throw new Error(`There is no role ${role}: create it with CREATE ROLE, or name another.`);
}

/** What a service changes in `iam` besides the log. */
const passing = ["messages", "turns", "quotas", "answers", "batches", "artifacts"]
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

/** The number of the newest form of the tables. */
export const schema = floor + migrations.length - 1;
