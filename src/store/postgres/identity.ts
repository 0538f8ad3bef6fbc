import type { RecordedEvent } from "../../event.ts";
import { createSeal, type LogIdentity } from "../chain/chain.ts";
import { type LogKeys, logStream } from "../chain/keys.ts";
import { firstLink } from "../chain/link.ts";
import type { Opening } from "../opening.ts";
import type { EventColumns } from "../row.ts";
import { logLock } from "./append-parameters.ts";
import { readHead } from "./head.ts";
import type { Connection, Pool } from "./pool.ts";
import { eventColumns, toEvent } from "./row.ts";
import { fromStored, toStored } from "./text.ts";

/** The identity of the log; undefined where it has none yet. */
export async function knownIdentity(
  pool: Pool,
  keys: Pick<LogKeys, "open">,
): Promise<LogIdentity | undefined> {
  // First the end: another process may begin the log meanwhile.
  const { position } = await readHead(pool);
  const known = await readId(pool);
  if (known !== undefined) return { id: known, key: await openKey(pool, keys, known) };
  if (position > 0n)
    throw new Error(
      "The log has events but no identity. If a copy to here is running, let it finish; " +
        "otherwise restore the newest copy.",
    );
  return undefined;
}

/** Gives a log that has none its identity, and answers it. Of several that begin, one does. */
export async function openIdentity(
  pool: Pool,
  { keys, random }: Pick<Opening<unknown>, "keys" | "random">,
): Promise<LogIdentity> {
  const known = await knownIdentity(pool, keys);
  if (known !== undefined) return known;
  const begun = await keys.begin();
  const id = await pool.transaction("BEGIN ISOLATION LEVEL READ COMMITTED", async (connection) => {
    await connection.query("SELECT pg_advisory_xact_lock($1)", [logLock]);
    const other = await readId(connection);
    if (other !== undefined) return other;
    await connection.query("INSERT INTO iam.log VALUES ($1)", [toStored(begun.id)]);
    const said = begun.event;
    if (said === undefined) return begun.id;
    const event = { ...said, stream: logStream(begun.id), version: 1, position: 1n };
    await insertFirst(connection, event, createSeal(begun, random)(event, firstLink));
    return begun.id;
  });
  return { id, key: id === begun.id ? begun.key : await openKey(pool, keys, id) };
}

/** Whether a database has the tables of a log, of whatever version. */
export async function hasTables(connection: Pick<Connection, "query">): Promise<boolean> {
  const [table] = await connection.query<{ isThere: boolean }>(
    `SELECT to_regclass('iam.events') IS NOT NULL AS "isThere"`,
  );
  return table?.isThere === true;
}

/** Whether there is a log in a database that holds more than the event which it begins with. */
export async function hasLog(connection: Connection): Promise<boolean> {
  if (!(await hasTables(connection))) return false;
  const [row] = await connection.query<{ isThere: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM iam.events WHERE position > 1) AS "isThere"`,
  );
  return row?.isThere === true;
}

/** What the log in a database says of itself: the events of its own stream, and its id. */
export async function readOwn(
  connection: Connection,
): Promise<{ readonly id: string; readonly events: readonly RecordedEvent[] }> {
  const id = await assertId(connection);
  return { id, events: await ownEvents(connection, id) };
}

/** The id of the log in a database. Rejects where there is none. */
export async function assertId(connection: Connection): Promise<string> {
  const [id] = await idsIn(connection);
  if (id !== undefined) return id;
  throw new Error("it has no event log, or an incomplete copy of one");
}

async function readId(connection: Connection): Promise<string | undefined> {
  const [id, ...more] = await readIds(connection);
  if (more.length > 0) throw new Error("The log has several identities: restore a backup.");
  return id;
}

/** The ids that a log has: one, unless somebody has been there. */
export async function readIds(connection: Connection): Promise<readonly string[]> {
  const rows = await connection.query<{ id: string }>("SELECT id FROM iam.log ORDER BY id");
  return rows.map(({ id }) => fromStored(id));
}

/** The same of a database that may have no tables yet, and then has none. */
export async function idsIn(connection: Connection): Promise<readonly string[]> {
  const [table] = await connection.query<{ there: boolean }>(
    "SELECT to_regclass('iam.log') IS NOT NULL AS there",
  );
  return table?.there === true ? await readIds(connection) : [];
}

async function openKey(connection: Connection, keys: Pick<LogKeys, "open">, id: string) {
  return await keys.open(id, await ownEvents(connection, id));
}

/** What a log says of itself. */
export async function ownEvents(
  connection: Connection,
  id: string,
): Promise<readonly RecordedEvent[]> {
  const own = await connection.query<EventColumns>(
    `SELECT ${eventColumns} FROM iam.events e WHERE e.stream = $1 ORDER BY e.version`,
    [toStored(logStream(id))],
  );
  return own.map(toEvent);
}

async function insertFirst(
  connection: Connection,
  event: RecordedEvent,
  {
    salt,
    mac,
    link,
  }: { readonly salt: Uint8Array; readonly mac: Uint8Array; readonly link: Uint8Array },
): Promise<void> {
  const { position, stream, version, type, owner, actor, timeMs, payload } = event;
  const [where, what, whose, who, said] = [stream, type, owner, actor, payload].map(toStored);
  await connection.query(
    `INSERT INTO iam.events
       (position, stream, version, type, owner, actor, time, payload, salt, mac, link)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [position, where, version, what, whose, who, timeMs, said, salt, mac, link],
  );
}
