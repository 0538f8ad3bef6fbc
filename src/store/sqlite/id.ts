import type Database from "better-sqlite3";
import { logStream } from "../chain/keys.ts";
import type { EventColumns } from "./row.ts";
import { eventColumns, prepareRows, toEvent } from "./row.ts";
import { hasTable } from "./schema.ts";

/** The id of the log in a file; undefined where it has none yet. */
export function idIn(db: Database.Database): string | undefined {
  if (!hasTable(db, "head")) return undefined;
  return db.prepare<[], string>("SELECT log FROM head").pluck().get();
}

/** What a log says of itself, as far as it is chained or not. */
export function ownEvents(db: Database.Database, id: string) {
  const table = sourceOf(db);
  return prepareRows<[string], EventColumns>(
    db,
    `SELECT ${eventColumns} FROM ${table} AS events WHERE stream = ? ORDER BY version`,
  )
    .all(logStream(id))
    .map(toEvent);
}

/** The table where the newest events are: all of them, unless some are not chained yet. */
export function sourceOf(db: Database.Database): "unchained" | "events" {
  return hasTable(db, "unchained") ? "unchained" : "events";
}

/**
 * Whether events wait to be chained that no program left there: an attacker wants them sealed.
 * Tables change and the log begins in one transaction, and as long as a log is being chained, the
 * event that it began with is among those that wait.
 */
export function hasForeign(db: Database.Database): boolean {
  if (!hasTable(db, "unchained")) return false;
  const id = idIn(db);
  if (id === undefined) return true;
  return db.prepare("SELECT 1 FROM events WHERE stream = ?").get(logStream(id)) !== undefined;
}

/** What a file has then. */
export const foreignEvents = "events that were not in it when it was chained and were added since";
