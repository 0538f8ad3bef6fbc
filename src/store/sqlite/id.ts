import type Database from "better-sqlite3";
import { logStream } from "../chain/keys.ts";
import type { EventColumns } from "../row.ts";
import { eventColumns, prepareRows, toEvent } from "./row.ts";
import { hasTable } from "./schema.ts";

/** The id of the log in a file; undefined where it has none yet. */
export function idIn(db: Database.Database): string | undefined {
  if (!hasTable(db, "head")) return undefined;
  return db.prepare<[], string>("SELECT log FROM head").pluck().get();
}

/** What a log says of itself. */
export function ownEvents(db: Database.Database, id: string) {
  return prepareRows<[string], EventColumns>(
    db,
    `SELECT ${eventColumns} FROM events WHERE stream = ? ORDER BY version`,
  )
    .all(logStream(id))
    .map(toEvent);
}
