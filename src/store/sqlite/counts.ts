import type Database from "better-sqlite3";
import type { ListedColumns } from "../chain/state.ts";
import type { Sql } from "../sql.ts";
import { sql } from "../sql.ts";
import { list } from "./sql.ts";

/**
 * Makes the function that keeps `counts` true while an object comes, goes or moves: how many
 * objects lists see of each kind under each parent, where there are any.
 */
export function prepareCounts(
  db: Database.Database,
): (before: ListedColumns, after: ListedColumns) => void {
  const increase = db.prepare(
    `INSERT INTO counts (kind, parent, objects) VALUES (?, ?, 1)
     ON CONFLICT DO UPDATE SET objects = objects + 1`,
  );
  const decrease = db.prepare(
    "UPDATE counts SET objects = objects - 1 WHERE kind = ? AND parent = ?",
  );
  const drop = db.prepare("DELETE FROM counts WHERE kind = ? AND parent = ? AND objects = 0");
  return (before, after) => {
    if (before.kind === after.kind && before.parent === after.parent) return;
    if (before.kind !== null) {
      decrease.run(before.kind, before.parent);
      drop.run(before.kind, before.parent);
    }
    if (after.kind !== null) increase.run(after.kind, after.parent);
  };
}

/** The query for the number of objects of a kind under any of the parents; left out, under all. */
export function compileCount(kind: string, parents: readonly string[] | undefined): Sql {
  const ofKind = sql`SELECT coalesce(sum(objects), 0) FROM counts WHERE kind = ${kind}`;
  return parents === undefined ? ofKind : sql`${ofKind} AND parent IN ${list(parents)}`;
}
