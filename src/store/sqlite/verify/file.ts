import type Database from "better-sqlite3";
import type { Report } from "../../verify/text.ts";
import { hasTable, isTooOld, openOnce, schemasOf } from "../schema.ts";
import { noText, strangersIn } from "../tables.ts";
import type { Pieces } from "./pieces.ts";

/** The most lines that SQLite says about one file. */
const fileLines = 100;

/**
 * Has SQLite check pages, rows and indexes, one table after the other: each is one read, of about a
 * second for a million rows. What belongs to no table is checked where nobody can write meanwhile.
 * Answers whether the file is whole.
 */
export async function checkFile(
  db: Database.Database,
  pieces: Pieces,
  report: Report,
): Promise<boolean> {
  const lines: string[] = [];
  for (const table of await pieces(() => tableNames(db))) {
    const said = await pieces(() => integrityOf(db, table));
    if (said.join() !== "ok") lines.push(...said.flatMap((text) => text.split("\n")));
  }
  const told = [...new Set(lines)].slice(0, fileLines);
  for (const line of told) report(`file: ${line}`);
  return told.length === 0;
}

/** The tables with rows of their own; that of all tables stands for what belongs to none. */
function tableNames(db: Database.Database): readonly string[] {
  try {
    const names = db.prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0",
    );
    // One of another name is named as a stranger.
    const known = names
      .pluck()
      .all()
      .filter((name) => !name.includes(noText));
    return ["sqlite_schema", ...known];
  } catch (error) {
    if (isCorrupt(error)) return ["sqlite_schema"];
    throw error;
  }
}

function integrityOf(db: Database.Database, table: string): readonly string[] {
  try {
    const name = `"${table.replaceAll('"', '""')}"`;
    return db.prepare<[], string>(`PRAGMA integrity_check(${name})`).pluck().all();
  } catch (error) {
    if (isCorrupt(error)) return [error.message];
    throw error;
  }
}

/** Whether SQLite met something in the file that cannot be. */
export function isCorrupt(error: unknown): error is Error {
  const hasCode = typeof error === "object" && error !== null && "code" in error;
  return hasCode && String(error.code).startsWith("SQLITE_CORRUPT");
}

/**
 * Checks that the file has the tables and indexes of this program, and nothing that changes or
 * refuses what is written into them. Answers whether it has the tables.
 */
export function checkTables(db: Database.Database, report: Report): boolean {
  const { found, made } = schemasOf(db);
  if (found === 0 || !hasTable(db, "events")) {
    report("file: it is not an event log of this service: restore the backup");
    return false;
  }
  if (found !== made) {
    const older = isTooOld(found) ? openOnce : "rebuild or the service brings it up to date";
    const todo = found < made ? older : "use the newer version of the program";
    report(`file: it has schema ${found}, this program schema ${made}: ${todo}`);
    return false;
  }
  const strangers = strangersIn(db);
  for (const { said } of strangers) report(`file: ${said}`);
  return !strangers.some(({ isOwn }) => isOwn);
}
