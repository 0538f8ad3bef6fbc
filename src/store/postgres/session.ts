import type pg from "pg";
import type { PostgresLimits } from "./limits.ts";

// The owner of a database or of a role may give each setting another default. And names are looked
// for in all of the path: a function in `public` comes before that of PostgreSQL where its types
// fit better, and then runs as this service.

/** Settings on which the meaning of statements and their values depends. */
const pinned = [
  // Unless it says otherwise, a path begins with what is temporary.
  ["search_path", "pg_catalog, pg_temp"],
  ["array_nulls", "on"],
  ["quote_all_identifiers", "off"],
] as const;

/** The values of `synchronous_commit` that wait for the disk and for standbys; others are `on`. */
const durable = ["on", "remote_apply"];

/** How a session keeps to them. */
export interface Session {
  /** What each transaction has to begin with: nothing where the session keeps them. */
  readonly local: string;
}

/**
 * Pins the settings of a new connection, before any other statement. Where a pooler stands between,
 * the next transaction may get another session, so that each has to pin them: a pooler is known by
 * the number of the process, which differs from what was told when the connection was made.
 *
 * The database itself ends what takes too long, since it does not see that a node has gone: each
 * statement that waits there keeps a connection from others, and each transaction its locks. A
 * commit that waits for a standby is not ended: it is done already.
 */
export async function openSession(
  client: pg.ClientBase,
  { statementMs, transactionIdleMs }: Pick<PostgresLimits, "statementMs" | "transactionIdleMs">,
): Promise<Session> {
  const { rows } = await client.query<{ pid: number; commits: string }>(
    `SELECT pg_catalog.pg_backend_pid() AS pid,
       pg_catalog.current_setting('synchronous_commit') AS commits`,
  );
  const [{ pid, commits } = { pid: undefined, commits: "" }] = rows;
  const commit = durable.includes(commits) ? commits : "on";
  const settings = [
    ...pinned,
    ["synchronous_commit", commit],
    ["statement_timeout", statementMs],
    ["idle_in_transaction_session_timeout", transactionIdleMs],
  ] as const;
  const texts = (set: string) =>
    settings.map(([name, value]) => `${set} ${name} = ${value}`).join("; ");
  // The types of the driver leave it out.
  const isDirect = "processID" in client && client.processID === pid;
  if (!isDirect) return { local: texts("SET LOCAL") };
  await client.query(texts("SET"));
  return { local: "" };
}
