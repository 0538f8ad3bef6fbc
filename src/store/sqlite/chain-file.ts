import type Database from "better-sqlite3";
import { createCheck, type KnownEnd, type LogIdentity } from "../chain/chain.ts";
import type { LogKeys } from "../chain/keys.ts";
import { checkChain, headsIn } from "./chain.ts";
import { idIn, ownEvents } from "./id.ts";
import { type SqliteLimits, sqliteLimits } from "./limits.ts";
import { prepareRows, type SealedColumns, sealedColumns, toSealed } from "./row.ts";
import { assertKnown, type Schemas, schemasOf } from "./schema.ts";
import { openSnapshot } from "./verify/snapshot.ts";

interface ChainFile {
  readonly path: string;
  readonly keys: Pick<LogKeys, "open">;
  readonly limits?: Partial<SqliteLimits>;
}

/**
 * The end of the log in a file, which is not changed. Rejects with an `Error` where the file cannot
 * be read, or its head is not that of its last event, or that one is not what was appended.
 */
export function readEnd(file: ChainFile): Promise<KnownEnd> {
  return inFile(file, (db, identity) => {
    const [last] = prepareRows<[], SealedColumns>(
      db,
      `SELECT ${sealedColumns} FROM events ORDER BY position DESC LIMIT 1`,
    ).all();
    const [head] = headsIn(db);
    const event = last && toSealed(last);
    const isEnd =
      event !== undefined &&
      head?.position === event.position &&
      Buffer.compare(head.link, event.link) === 0;
    if (!isEnd || createCheck(identity)(event, undefined).length > 0) {
      throw new Error("its head is not that of its last event: run verify for more");
    }
    return { ...identity, position: event.position, link: event.link };
  });
}

/** What the log in a file says of itself: the events of its own stream, and its id. */
export async function readOwn({
  path,
  limits,
}: Omit<ChainFile, "keys">): Promise<{ readonly id: string; readonly events: OwnEvents }> {
  const db = await openSnapshot(path, { ...sqliteLimits, ...limits });
  try {
    assertKnown(db);
    const id = idIn(db);
    return { id: id ?? "", events: id === undefined ? [] : ownEvents(db, id) };
  } finally {
    db.close();
  }
}

/** Which form the tables in a file have, and which this program makes. Rejects as `readOwn`. */
export async function readSchemas(path: string): Promise<Schemas> {
  const db = await openSnapshot(path, sqliteLimits);
  try {
    return schemasOf(db);
  } finally {
    db.close();
  }
}

type OwnEvents = ReturnType<typeof ownEvents>;

/** The same, after a look at every event: rejects where one is not what was appended. */
export function readWhole(file: ChainFile): Promise<KnownEnd> {
  return inFile(file, (db, identity) => {
    const { end } = checkChain(db, createCheck(identity), (damage) => {
      throw new Error(damage);
    });
    return { ...identity, ...end };
  });
}

async function inFile<T>(
  { path, keys, limits }: ChainFile,
  read: (db: Database.Database, identity: LogIdentity) => T,
): Promise<T> {
  const db = await openSnapshot(path, { ...sqliteLimits, ...limits });
  try {
    assertKnown(db);
    const id = idIn(db);
    if (id === undefined) throw new Error("there is no event log in it");
    return read(db, { id, key: await keys.open(id, ownEvents(db, id)) });
  } finally {
    db.close();
  }
}
