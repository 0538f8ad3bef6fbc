import Database from "better-sqlite3";
import { type Named, otherSchema, strange } from "../strangers.ts";
import { legible } from "../verify/text.ts";
import { isTooOld, migrate, schemasOf } from "./schema.ts";

/** What is not as the migrations leave it. */
export interface Stranger {
  /** In words, what is there or is not. */
  readonly said: string;
  /** Whether it is a table or index of theirs that is missing, or another. */
  readonly isOwn: boolean;
}

/**
 * Each table and index of this program that is missing or another, and each object of somebody else
 * that may change or refuse what is written. Call it inside a transaction: others may migrate
 * meanwhile. Nothing is said of tables that this program does not know.
 *
 * Views, statistics, and tables without foreign keys of an operator are passed over, with their
 * indexes: they can do neither. An index on a table of this program is not, whatever it is of:
 * deletes fail by one that is damaged, and each write depends on it.
 */
export function strangersIn(db: Database.Database): readonly Stranger[] {
  const schemas = schemasOf(db);
  if (schemas.found > schemas.made || isTooOld(schemas.found)) return [];
  const own = thingsAt(schemas.found);
  const rows = thingsIn(db);
  const found = new Map(rows.map((row) => [keyOf(row), row]));
  const missing = [...own.values()]
    .filter((thing) => !rows.some(hasNameOf(thing)))
    .map(({ type, name }) => ({ said: `the ${type} ${name} is missing`, isOwn: true }));
  // Of two rows that say the same, SQLite goes by the last.
  const others = rows.filter((row) => !own.has(keyOf(row)) || found.get(keyOf(row)) !== row);
  const changed = others
    .filter((row) => [...own.values()].some(hasNameOf(row)))
    .map(({ type, name }) => ({
      said: `the ${type} ${name} is not that of this schema`,
      isOwn: true,
    }));
  const theirs = others.filter((row) => ![...own.values()].some(hasNameOf(row)));
  const added = [...strangeRows(db, theirs, own), ...strangeTables(db, own)].map(
    ({ kind, name }) => ({ said: strange({ kind: legible(kind), name }), isOwn: false }),
  );
  return [...missing, ...changed, ...added];
}

/**
 * The same of a file that is served, whose schema is that of this program: another one is named. A
 * program that brings a file to a newer schema has taken it over; somebody who writes another
 * number would have nothing else looked for.
 */
export function strangersInServed(db: Database.Database): readonly Stranger[] {
  const { found, made } = schemasOf(db);
  if (found === made) return strangersIn(db);
  return [{ said: otherSchema({ found, made }), isOwn: true }];
}

/** A row of `sqlite_schema`. */
interface Thing {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  /** What SQLite makes it by, whatever the rest says; null where another row makes it. */
  readonly sql: string | null;
}

/** By all that they say. */
type Things = ReadonlyMap<string, Thing>;

function keyOf(thing: Thing): string {
  return JSON.stringify(thing);
}

/** SQLite does not tell upper case from lower case in names. */
function hasNameOf({ type, name }: Thing): (other: Thing) => boolean {
  const folded = name.toLowerCase();
  return (other) => other.type === type && other.name.toLowerCase() === folded;
}

const things = new Map<number, Things>();

/** What the migrations leave that lead to a schema. */
function thingsAt(schema: number): Things {
  const known = things.get(schema) ?? makeThings(schema);
  things.set(schema, known);
  return known;
}

function makeThings(schema: number): Things {
  const db = new Database(":memory:");
  try {
    migrate(db, schema);
    return new Map(thingsIn(db).map((thing) => [keyOf(thing), thing]));
  } finally {
    db.close();
  }
}

function thingsIn(db: Database.Database): readonly Thing[] {
  const rows = db
    .prepare<[], Thing>(
      `SELECT coalesce(CAST(type AS TEXT), '') AS type, coalesce(CAST(name AS TEXT), '') AS name,
         coalesce(CAST(tbl_name AS TEXT), '') AS "table", CAST(sql AS TEXT) AS sql
       FROM sqlite_schema`,
    )
    .all();
  return rows.map((row) => ({ ...row, sql: row.sql && plain(row.sql) }));
}

/** Where `--` begins no comment: texts, names, comments of the other kind; and what is between. */
const lexeme = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|\/\*.*?\*\/|(?:--[^\n]*|[ \t\n\f\r])+/gs;

/** A statement with one space for each comment and line break: older programs had others. */
function plain(sql: string): string {
  return sql.replaceAll(lexeme, (found) => (/^[-\s]/.test(found) ? " " : found));
}

/** What a table or view, or an index on one of theirs, is made by. SQLite begins each like this. */
const harmless = /^CREATE (?:TABLE|VIEW|INDEX|UNIQUE INDEX) /;

/**
 * Those of the rows that make something else than a table, a view or an index, those that stand in
 * for a function of SQLite, and those that lead another index to its pages than one of a table of
 * theirs.
 */
function strangeRows(db: Database.Database, rows: readonly Thing[], own: Things): readonly Named[] {
  const names = new Set(
    tablesIn(db)
      .filter((table) => !isTableOf(own, table))
      .flatMap((table) => indexesOf(db, table, ["c", "pk", "u"])),
  );
  return rows
    .filter(({ type, name, sql }) => {
      const isTable = type === "table" || type === "view";
      if (isTable && readFrom.test(name)) return true;
      return sql ? !harmless.test(sql) : !names.has(name);
    })
    .map(({ type, name }) => ({ kind: type, name }));
}

/**
 * Tables of others that refer to any, and indexes of others on tables of this program, as SQLite
 * has understood them: what a row of the schema says may be another name, and what its statement
 * says is for SQLite alone to read.
 */
function strangeTables(db: Database.Database, own: Things): readonly Named[] {
  const indexes = new Set([...own.values()].map(({ name }) => name));
  return tablesIn(db).flatMap((table): readonly Named[] => {
    if (!isTableOf(own, table)) {
      // By a name that is no text it cannot be asked what the table refers to.
      const isStrange = table.includes(noText) || refers(db, table);
      return isStrange ? [{ kind: "table", name: table }] : [];
    }
    // Those of its keys are in its own statement.
    const added = indexesOf(db, table, ["c"]).filter((name) => !indexes.has(name));
    return added.map((name) => ({ kind: "index", name }));
  });
}

function isTableOf(own: Things, table: string): boolean {
  return [...own.values()].some(({ type, name }) => type === "table" && name === table);
}

/*
 * What SQLite has understood of a file is asked by PRAGMA statements. A query would read a table
 * `pragma_table_list` where somebody has put one into the file.
 */

/** The names of tables, which are no views. */
function tablesIn(db: Database.Database): readonly string[] {
  const all = db.pragma("main.table_list") as readonly { name: string; type: string }[];
  return all.filter(({ type }) => type !== "view").map(({ name }) => name);
}

/** The indexes of a table that come from statements of their own (`c`), or from its keys. */
function indexesOf(
  db: Database.Database,
  table: string,
  origins: readonly string[],
): readonly string[] {
  const all = db.pragma(`main.index_list(${quoted(table)})`) as readonly {
    name: string;
    origin: string;
  }[];
  return all.filter(({ origin }) => origins.includes(origin)).map(({ name }) => name);
}

function refers(db: Database.Database, table: string): boolean {
  return (db.pragma(`main.foreign_key_list(${quoted(table)})`) as readonly unknown[]).length > 0;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * Names that SQLite itself has for what queries of this program read from: a table or view that has
 * one stands in for it.
 */
const readFrom = /^(?:json_(?:each|tree)|pragma_.*)$/i;

/** What JavaScript has in a name in place of bytes that are no UTF-8: SQLite knows no such name. */
export const noText = "\ufffd";
