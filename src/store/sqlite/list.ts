import type Database from "better-sqlite3";
import type { ListQuery } from "../query.ts";
import { listLimits } from "../query.ts";
import type { ObjectPage } from "../store.ts";
import { compileFilter } from "./filter.ts";
import { prepareHead } from "./head.ts";
import type { ObjectColumns } from "./row.ts";
import { objectColumns, prepareRows, readWithin, type ToObject } from "./row.ts";
import type { Sql } from "./sql.ts";
import { list, prepareLast, sql } from "./sql.ts";

/** Makes the function that lists objects; it keeps so many statements ready. */
export function prepareList(
  db: Database.Database,
  toObject: ToObject,
  statements: number,
): (query: ListQuery) => ObjectPage {
  const prepare = prepareLast<bigint>(db, statements);
  const object = prepareRows<[bigint], ObjectColumns>(
    db,
    `SELECT ${objectColumns} FROM objects WHERE first = ?`,
  );
  const head = prepareHead(db);
  const all = ({ text, values }: Sql) => prepare(text).all(...values);
  // In a transaction all statements see the same moment, whatever other processes commit.
  return db.transaction((query: ListQuery) => {
    const { page, total } = compileList(query);
    const firsts = all(page);
    const rows = readWithin(object, firsts, ({ state }) => state, listLimits.stateBytes);
    return {
      total: Number(all(total)[0]),
      objects: rows.map(toObject),
      isCut: rows.length < firsts.length,
      head: head(),
    };
  });
}

/** The queries for the `first` of each object on the page and for the number of all that match. */
export function compileList(query: ListQuery): { readonly page: Sql; readonly total: Sql } {
  const { kind, parents, where, sortBy, descending = false, offset, limit } = query;
  const ofKind = sql`kind = ${kind}`;
  const listed = parents === undefined ? ofKind : sql`${ofKind} AND ${isIn(parents)}`;
  // In the key of `fields` the parent stands before all that is looked for.
  const scope =
    parents === undefined
      ? sql`${ofKind} AND parent IN (SELECT parent FROM objects WHERE ${ofKind})`
      : listed;
  const all =
    sortBy === undefined
      ? sql`objects AS x WHERE ${listed}`
      : sql`fields AS x WHERE ${scope} AND name = ${sortBy}`;
  const matching = where === undefined ? all : sql`${all} AND ${compileFilter(where, scope)}`;
  const direction = descending ? sql`DESC` : sql`ASC`;
  // With several parents, the plus has SQLite sort what matches: no look at the whole kind.
  const first = parents === undefined || parents.length === 1 ? sql`first` : sql`+first`;
  const byCreation = sql`${first} ${direction}`;
  const order = sortBy === undefined ? byCreation : sql`folded ${direction}, ${byCreation}`;
  return {
    page: sql`SELECT first FROM ${matching} ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`,
    total: sql`SELECT count(*) FROM ${matching}`,
  };
}

/** Compared with one parent, rows come in the order of the index. */
function isIn(parents: readonly string[]): Sql {
  const [parent] = parents;
  return parent !== undefined && parents.length === 1
    ? sql`parent = ${parent}`
    : sql`parent IN ${list(parents)}`;
}
