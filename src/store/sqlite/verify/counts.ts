import type Database from "better-sqlite3";
import { prepareRows } from "../row.ts";
import { type Paged, type Pieces, readAll, visitRows } from "./pieces.ts";
import { type Report, shown } from "./text.ts";

/** Compares `counts` with the objects that lists see under each parent. */
export async function compareCounts(
  db: Database.Database,
  pieces: Pieces,
  report: Report,
): Promise<void> {
  const { groups, counts, countOf, hasObjects } = await pieces(() => prepare(db));
  const compareGroup = ({ kind, parent, objects }: CountColumns) => {
    const found = countOf.get(kind, parent)?.objects;
    const name = nameOf(kind, parent);
    if (found === undefined) report(`${name}: it is missing, and should be ${objects}`);
    else if (found !== objects) report(`${name}: it is ${found}, not ${objects}`);
  };
  await readAll(pieces, visitRows(groups, compareGroup));
  const compareCount = ({ kind, parent }: CountColumns) => {
    if (hasObjects.get(kind, parent) !== undefined) return;
    report(`${nameOf(kind, parent)}: no object explains it`);
  };
  await readAll(pieces, visitRows(counts, compareCount));
}

interface CountColumns {
  readonly kind: string;
  readonly parent: string;
  readonly objects: bigint;
}

type ByGroup = Paged<[string, string], CountColumns>;

function prepare(db: Database.Database) {
  const keyOf = ({ kind, parent }: CountColumns): [string, string] => [kind, parent];
  // A group is one step: SQLite counts it in an index.
  const counted = (where: string) =>
    `SELECT kind, parent, count(*) AS objects FROM objects
     WHERE kind IS NOT NULL AND parent IS NOT NULL ${where}
     GROUP BY kind, parent ORDER BY kind, parent`;
  const kept = (where: string) =>
    `SELECT kind, parent, objects FROM counts ${where} ORDER BY kind, parent`;
  const groups: ByGroup = {
    first: prepareRows(db, counted("")),
    next: prepareRows(db, counted("AND (kind, parent) > (?, ?)")),
    keyOf,
  };
  const counts: ByGroup = {
    first: prepareRows(db, kept("")),
    next: prepareRows(db, kept("WHERE (kind, parent) > (?, ?)")),
    keyOf,
  };
  return {
    ...{ groups, counts },
    countOf: prepareRows<[string, string], CountColumns>(
      db,
      "SELECT kind, parent, objects FROM counts WHERE kind = ? AND parent = ?",
    ),
    hasObjects: db.prepare<[string, string]>(
      "SELECT 1 FROM objects WHERE kind = ? AND parent = ? LIMIT 1",
    ),
  };
}

function nameOf(kind: string, parent: string): string {
  return `count of ${shown(kind)} under ${shown(parent)}`;
}
