import Database from "better-sqlite3";
import { strange } from "../strangers.ts";
import { shown } from "../verify/text.ts";
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
 * Views, statistics, plain indexes, and tables without foreign keys of an operator are passed over:
 * they can do neither.
 */
export function strangersIn(db: Database.Database): readonly Stranger[] {
  const schemas = schemasOf(db);
  if (schemas.found > schemas.made || isTooOld(schemas.found)) return [];
  const [found, own] = [thingsIn(db), thingsAt(schemas.found)];
  const missing = [...own.values()]
    .filter((thing) => !hasNameOf(found, thing))
    .map(({ type, name }) => ({ said: `the ${type} ${name} is missing`, isOwn: true }));
  const others = [...found].filter(([key]) => !own.has(key)).map(([, thing]) => thing);
  const changed = others
    .filter((thing) => hasNameOf(own, thing))
    .map(({ type, name }) => ({
      said: `the ${type} ${name} is not that of this schema`,
      isOwn: true,
    }));
  const added = others
    .filter((thing) => !hasNameOf(own, thing) && !isHarmless(thing))
    .map(({ type, name }) => ({ said: strange({ kind: shown(type), name }), isOwn: false }));
  return [...missing, ...changed, ...added];
}

/** A row of `sqlite_schema`. */
interface Thing {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  /** What SQLite makes it by, whatever the rest says; null where another row makes it. */
  readonly sql: string | null;
}

/** By all that they say: one name may be there more than once. */
type Things = ReadonlyMap<string, Thing>;

function hasNameOf(things: Things, { type, name }: Thing): boolean {
  return [...things.values()].some((other) => other.type === type && other.name === name);
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
    return thingsIn(db);
  } finally {
    db.close();
  }
}

function thingsIn(db: Database.Database): Things {
  const rows = db
    .prepare<[], Thing>(
      `SELECT coalesce(CAST(type AS TEXT), '') AS type, coalesce(CAST(name AS TEXT), '') AS name,
         coalesce(CAST(tbl_name AS TEXT), '') AS "table", CAST(sql AS TEXT) AS sql
       FROM sqlite_schema`,
    )
    .all();
  return new Map(
    rows
      .map((row) => ({ ...row, sql: row.sql && plain(row.sql) }))
      .map((row) => [JSON.stringify(row), row]),
  );
}

/** A statement with one space for each comment and line break: older programs had others. */
function plain(sql: string): string {
  // One for each, not none: no quotes of a statement have a space between them, in which another
  // could hide what is no comment to SQLite.
  return sql.replaceAll(/(?:--[^\n]*|[ \t\n\f\r])+/g, " ");
}

const word = String.raw`"?\w+"?`;
const column = `${word}(?: ASC| DESC)?`;
const columns = String.raw`\( ?${column}(?: ?, ?${column})* ?\)`;
const harmless = new RegExp(
  `^CREATE (?:VIEW |TABLE (?!.*\\bREFERENCES\\b)|INDEX ${word} ON ${word} ?${columns}$)`,
  "is",
);

/**
 * Whether it neither changes nor refuses a write: no trigger, no table that refers to others, and
 * no index that is unique, of an expression or of some rows.
 */
function isHarmless({ sql }: Thing): boolean {
  return sql === null || harmless.test(sql);
}
