import { appendFunction } from "./append-function.ts";
import { sqlStateOf } from "./errors.ts";
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
  await connection.query(`GRANT INSERT ON iam.events, iam.log TO ${name}`);
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

/** The number of the oldest form of the tables that is brought up to date: that of 226d0ee. */
export const floor = 3;

/** Whether tables of this form were made before the floor of upgrades. */
export function isTooOld(found: number): boolean {
  return found !== 0 && found < floor;
}

/**
 * Entry n leads from schema `floor - 1 + n` to the next, but for the first, which makes `floor` of
 * nothing; published entries never change. Where the functions do, that is an entry, too, by which
 * older programs know that they are none of theirs.
 *
 * It is what `sqlite/schema.ts` has, with what PostgreSQL asks for: texts are compared by their
 * bytes, and what may be longer than an index takes is found by its hash or by how it begins. No
 * position comes from a sequence, and there is no trigger and no table of the session. The end of
 * the log is its last event: a row of its own would be written with each append, and found the
 * slower the longer somebody else reads.
 */
export const migrations: readonly string[] = [
  `
  DO $$ BEGIN
    IF to_regnamespace('iam') IS NULL THEN CREATE SCHEMA iam; END IF;
  END $$;

  CREATE TABLE iam.schema (version integer NOT NULL);
  CREATE TABLE iam.log (id text COLLATE "C" PRIMARY KEY);

  CREATE TABLE iam.events (
    position bigint PRIMARY KEY,
    stream text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    type text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    actor text COLLATE "C" NOT NULL,
    time bigint NOT NULL, -- Unix milliseconds
    payload text COLLATE "C" NOT NULL,
    salt bytea NOT NULL,
    mac bytea NOT NULL,
    link bytea NOT NULL,
    UNIQUE (stream, version)
  );

  CREATE TABLE iam.projection (revision bigint NOT NULL);
  INSERT INTO iam.projection VALUES (-1);

  CREATE TABLE iam.objects (
    stream text COLLATE "C" PRIMARY KEY,
    first bigint NOT NULL UNIQUE,
    version bigint NOT NULL,
    owner text COLLATE "C" NOT NULL,
    kind text COLLATE "C",
    parent text COLLATE "C",
    fields text COLLATE "C",
    created bigint NOT NULL, -- Unix milliseconds
    changed bigint NOT NULL, -- Unix milliseconds
    position bigint NOT NULL,
    state text COLLATE "C",
    mac bytea NOT NULL -- see chain/row-mac.ts
  );
  CREATE INDEX objects_kind ON iam.objects (kind, first);
  CREATE INDEX objects_parent ON iam.objects (kind, parent, first);

  CREATE TABLE iam.fields (
    first bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    parent text COLLATE "C" NOT NULL,
    folded text COLLATE "C" NOT NULL,
    exact text COLLATE "C" NOT NULL,
    PRIMARY KEY (first, name)
  );
  CREATE INDEX fields_folded ON iam.fields (kind, parent, name, left(folded, 200), first);

  CREATE TABLE iam.counts (
    kind text COLLATE "C" NOT NULL,
    parent text COLLATE "C" NOT NULL,
    objects bigint NOT NULL, -- that lists see
    PRIMARY KEY (kind, parent)
  );

  CREATE TABLE iam.claims (
    digest bytea PRIMARY KEY, -- SHA-256 of the three that follow
    kind text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL,
    stream text COLLATE "C" NOT NULL
  );
  CREATE INDEX claims_group ON iam.claims (kind, scope, stream);

  CREATE TABLE iam.messages (
    position bigint NOT NULL, -- of the event that asked for it
    field text COLLATE "C" NOT NULL,
    due bigint NOT NULL, -- Unix milliseconds
    since bigint NOT NULL, -- when it was due at first
    attempts bigint NOT NULL,
    type text COLLATE "C" NOT NULL, -- of the event, as the owner
    owner text COLLATE "C" NOT NULL,
    PRIMARY KEY (position, field)
  );
  CREATE INDEX messages_line ON iam.messages (type, owner, due, position, field);
  CREATE INDEX messages_tried ON iam.messages (due) WHERE attempts > 0;
  -- Those that wait for their quota, or to be tried for the first time.
  CREATE INDEX messages_untried ON iam.messages (due) WHERE attempts = 0;

  CREATE TABLE iam.turns (
    -- Of two whose turn it is at the same time, the lower goes first.
    number bigint GENERATED ALWAYS AS IDENTITY,
    type text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    turn bigint NOT NULL, -- Unix milliseconds
    PRIMARY KEY (type, owner)
  );
  CREATE INDEX turns_turn ON iam.turns (type, turn, number);

  CREATE TABLE iam.quotas (
    digest bytea PRIMARY KEY, -- SHA-256 of what it is a quota of
    used bigint NOT NULL, -- Unix milliseconds, as told and clear
    debt bigint NOT NULL,
    told bigint NOT NULL,
    clear bigint NOT NULL
  );
  CREATE INDEX quotas_clear ON iam.quotas (clear);

  CREATE TABLE iam.answers (
    key text COLLATE "C" PRIMARY KEY,
    caller text COLLATE "C" NOT NULL,
    number bigint NOT NULL, -- of those of the caller
    time bigint NOT NULL, -- Unix milliseconds
    request bytea NOT NULL,
    answer bytea NOT NULL,
    secret bytea -- goes sooner than the rest
  );
  CREATE UNIQUE INDEX answers_caller ON iam.answers (caller, number);
  CREATE INDEX answers_time ON iam.answers (time);
  CREATE INDEX answers_secret ON iam.answers (time) WHERE secret IS NOT NULL;

  -- What became of batches, for whoever lost the connection before the answer.
  CREATE TABLE iam.batches (
    id uuid PRIMARY KEY,
    at timestamptz NOT NULL,
    verdicts integer[] NOT NULL,
    whiches integer[] NOT NULL,
    firsts bigint[] NOT NULL,
    head bigint NOT NULL,
    link bytea NOT NULL
  );
  CREATE INDEX batches_at ON iam.batches (at);

  -- What logging in leaves behind.
  CREATE TABLE iam.artifacts (
    key text COLLATE "C" PRIMARY KEY,
    alias text COLLATE "C",
    family text COLLATE "C",
    payload text COLLATE "C" NOT NULL,
    expires bigint NOT NULL, -- Unix milliseconds
    uses bigint NOT NULL
  );
  CREATE INDEX artifacts_alias ON iam.artifacts (alias) WHERE alias IS NOT NULL;
  CREATE INDEX artifacts_family ON iam.artifacts (family) WHERE family IS NOT NULL;
  CREATE INDEX artifacts_expires ON iam.artifacts (expires);
  `,
  // Each has a MAC now. Nobody can tell which of those of before are genuine, so they go.
  `
  TRUNCATE iam.artifacts;
  ALTER TABLE iam.artifacts ADD COLUMN mac bytea NOT NULL; -- see chain/artifact-mac.ts
  `,
  "-- iam.append keeps answers, takes families of artifacts away, and knows an unchecked end.",
  "-- iam.append refuses what is dated too long before the last event.",
  "-- All functions look for names in pg_catalog alone.",
  // Claims and fields are rows of one table. They are made anew from the log.
  `
  CREATE TABLE iam.lists (
    number bigint PRIMARY KEY,
    kind text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    parent text COLLATE "C" NOT NULL,
    UNIQUE (kind, name, parent)
  );

  -- Columns of eight bytes first: so no room is left between them.
  CREATE TABLE iam.texts (
    tie bigint NOT NULL, -- 0 of a claim, so that there is one; else as first
    first bigint NOT NULL, -- of the object
    list bigint NOT NULL, -- its number
    listed boolean NOT NULL, -- of a field, which lists see
    text text COLLATE "C" NOT NULL -- of a field, folded
  );
  -- No index takes a long text: what is behind its 200 characters is told apart by a SHA-256.
  CREATE UNIQUE INDEX texts_text ON iam.texts (list, left(text, 200), tie, nullif(
      sha256(decode(replace(substr(text, 201), '\\', '\\\\'), 'escape')), sha256('')))
    NULLS NOT DISTINCT;
  CREATE INDEX texts_first ON iam.texts (first);
  -- Without a primary key, so that they can be published.
  ALTER TABLE iam.texts REPLICA IDENTITY FULL;

  -- A role that may serve still may.
  DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT privilege_type AS what, grantee::regrole AS role
      FROM pg_class, aclexplode(relacl) WHERE oid = 'iam.claims'::regclass AND grantee > 0
    LOOP EXECUTE format('GRANT %s ON iam.lists, iam.texts TO %s', one.what, one.role); END LOOP;
  END $$;
  DROP TABLE iam.claims;
  DROP TABLE iam.fields;
  -- Who has made what was there is still known.
  UPDATE iam.projection SET revision = -abs(revision);
  `,
];

/** The functions, as each migration makes them anew: of the one before, all go. */
const functions = `
  DO $$ DECLARE each regprocedure; BEGIN
    FOR each IN SELECT oid FROM pg_proc WHERE pronamespace = 'iam'::regnamespace
    LOOP EXECUTE 'DROP FUNCTION ' || each; END LOOP;
  END $$;
  ${turnFunctions}
  ${appendFunction}`;

/** The number of the newest form of the tables. */
export const schema = floor + migrations.length - 1;

/** All that makes tables, indexes and functions, in order. */
export const schemaText = [...migrations, functions].join("\n");
