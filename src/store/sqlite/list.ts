import type Database from "better-sqlite3";
import { forgedRow } from "../chain/forged.ts";
import { compileFilter, isAlways } from "../filter.ts";
import type { Cursor, ListQuery } from "../query.ts";
import { listLimits } from "../query.ts";
import type { Sql } from "../sql.ts";
import { sql } from "../sql.ts";
import type { ObjectPage } from "../store.ts";
import type { ObjectRow } from "../verify/rows.ts";
import { compileCount } from "./counts.ts";
import { termsWithin } from "./filter.ts";
import { prepareHead } from "./head.ts";
import { newestColumns, type ToObject } from "./object-row.ts";
import { inPace, preparePace } from "./pace.ts";
import { prepareRows, readWithin } from "./row.ts";
import { list, prepareLast } from "./sql.ts";

/**
 * Makes the function that lists objects, or answers undefined where it may not go on before it is
 * done; it keeps so many statements ready.
 */
export function prepareList(
  db: Database.Database,
  toObject: ToObject,
  statements: number,
): (query: ListQuery, mayGoOn: () => boolean) => ObjectPage | undefined {
  const inTime = preparePace(db);
  const prepare = prepareLast(db, statements);
  const object = prepareRows<[bigint], ObjectRow>(
    db,
    `SELECT ${newestColumns} FROM objects WHERE first = ?`,
  );
  const head = prepareHead(db);
  const all = ({ text, values }: Sql) => prepare(text).all(...values);
  // In a transaction all statements see the same moment, whatever other processes commit.
  const read = db.transaction((query: ListQuery): ObjectPage => {
    const { page, total } = compileList(query);
    const cursors = all(page).map(toCursor);
    const wanted = cursors.slice(0, query.limit).map(({ first }) => first);
    const bytesMax = Math.min(query.stateBytes ?? Number.POSITIVE_INFINITY, listLimits.stateBytes);
    const rows = readWithin(object, wanted, ({ state }) => state, bytesMax);
    return {
      total: Number(all(total)[0]?.[0]),
      objects: rows.map((columns) => {
        assertAskedFor(query, columns);
        return toObject(columns);
      }),
      isCut: rows.length < wanted.length,
      end: rows.length < cursors.length ? cursors[rows.length - 1] : undefined,
      head: head(),
    };
  });
  return (query, mayGoOn) => inTime(mayGoOn, () => read(query));
}

/** Throws Forged where what an object was found by is not what its row says. */
function assertAskedFor({ kind, parents }: ListQuery, found: ObjectRow): void {
  const isUnder = parents === undefined || parents.some((parent) => parent === found.parent);
  if (found.kind === kind && isUnder) return;
  throw forgedRow(found.stream, "of another kind, or under another parent, than it was listed by");
}

/**
 * The queries for the places of the objects on the page and of the one behind it, and for the
 * number of all that match.
 */
export function compileList(query: ListQuery): { readonly page: Sql; readonly total: Sql } {
  const { kind, parents, sortBy, descending = false, after, offset, limit } = query;
  const where = query.where && isAlways(query.where) ? undefined : query.where;
  const ofKind = sql`kind = ${kind}`;
  const listed = parents === undefined ? ofKind : sql`${ofKind} AND ${isIn(parents)}`;
  // In the key of `fields` the parent stands before all that is looked for.
  const scope =
    parents === undefined
      ? sql`${ofKind} AND parent IN (SELECT parent FROM counts WHERE ${ofKind})`
      : listed;
  const all =
    sortBy === undefined
      ? sql`objects AS x WHERE ${inPace} AND ${listed}`
      : sql`fields AS x WHERE ${inPace} AND ${scope} AND name = ${sortBy}`;
  const matching =
    where === undefined ? all : sql`${all} AND ${compileFilter(where, termsWithin(scope))}`;
  const direction = descending ? sql`DESC` : sql`ASC`;
  // With several parents, the plus has SQLite sort what matches: no look at the whole kind.
  const first = parents === undefined || parents.length === 1 ? sql`first` : sql`+first`;
  const byCreation = sql`${first} ${direction}`;
  const order = sortBy === undefined ? byCreation : sql`folded ${direction}, ${byCreation}`;
  const cursor = sortBy === undefined ? sql`first` : sql`first, folded`;
  const rest =
    after === undefined ? matching : sql`${matching} AND ${isPast(after, first, descending)}`;
  return {
    // One more tells whether the last is the last of all.
    page: sql`SELECT ${cursor} FROM ${rest} ORDER BY ${order} LIMIT ${limit + 1} OFFSET ${offset}`,
    total:
      where === undefined ? compileCount(kind, parents) : sql`SELECT count(*) FROM ${matching}`,
  };
}

/** Compared with one parent, rows come in the order of the index. */
function isIn(parents: readonly string[]): Sql {
  const [parent] = parents;
  return parent !== undefined && parents.length === 1
    ? sql`parent = ${parent}`
    : sql`parent IN ${list(parents)}`;
}

/** The condition that a row comes behind the place: a range of the index that gives the order. */
function isPast(cursor: Cursor, first: Sql, descending: boolean): Sql {
  const beyond = descending ? sql`<` : sql`>`;
  return cursor.folded === undefined
    ? sql`${first} ${beyond} ${cursor.first}`
    : sql`(folded, first) ${beyond} (${cursor.folded}, ${cursor.first})`;
}

function toCursor([first, folded]: readonly unknown[]): Cursor {
  if (typeof first !== "bigint") throw new TypeError("a position is no integer");
  return typeof folded === "string" ? { first, folded } : { first };
}
