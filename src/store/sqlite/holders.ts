import type Database from "better-sqlite3";
import type { ClaimGroup } from "../../event.ts";
import type { Holders } from "../store.ts";

/** Makes the query for how many streams hold claims of a group. */
export function prepareTally(db: Database.Database): (group: ClaimGroup) => number {
  const tally = db
    .prepare<[string, string], number>(
      "SELECT count(DISTINCT stream) FROM claims WHERE kind = ? AND scope = ?",
    )
    .pluck();
  return ({ kind, scope }) => tally.get(kind, scope) ?? 0;
}

/** Makes the query for which streams these are. */
export function prepareHolders(
  db: Database.Database,
): (group: ClaimGroup, limit: number) => Holders {
  const tally = prepareTally(db);
  const streams = db
    .prepare<[string, string, number], string>(
      "SELECT DISTINCT stream FROM claims WHERE kind = ? AND scope = ? ORDER BY stream LIMIT ?",
    )
    .pluck();
  // In a transaction both statements see the same moment, whatever other processes commit.
  return db.transaction((group: ClaimGroup, limit: number) => ({
    total: tally(group),
    streams: streams.all(group.kind, group.scope, limit),
  }));
}
