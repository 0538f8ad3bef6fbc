import type Database from "better-sqlite3";
import { assertAskedFor } from "../chain/state.ts";
import { compileFilter, isAlways } from "../filter.ts";
import type { ToObject } from "../object-row.ts";
import type { Cursor, ListQuery } from "../query.ts";
import { listLimits } from "../query.ts";
import type { Sql } from "../sql.ts";
import { sql } from "../sql.ts";
import type { ObjectPage } from "../store.ts";
import type { ObjectRow } from "../verify/rows.ts";
import { compileCount } from "./counts.ts";
import { isInLists, isUnder, termsOf } from "./filter.ts";
import { prepareHead } from "./head.ts";
import { newestColumns } from "./object-row.ts";
import { inPace, preparePace } from "./pace.ts";
import { prepareRows, readWithin } from "./row.ts";
import { prepareLast } from "./sql.ts";

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

/**
 * The queries for the places of the objects on the page and of the one behind it, and for the
 * number of all that match.
 */
export function compileList(query: ListQuery): { readonly page: Sql; readonly total: Sql } {
  const { kind, parents, sortBy, descending = false, after, offset, limit } = query;
  const where = query.where && isAlways(query.where) ? undefined : query.where;
  const ofKind = sql`kind = ${kind}`;
  const listed = parents === undefined ? ofKind : sql`${ofKind} AND ${isUnder(parents)}`;
  const all =
    sortBy === undefined
      ? sql`objects AS x WHERE ${inPace} AND ${listed}`
      : sql`texts AS x WHERE ${inPace} AND ${isInLists(kind, sortBy, parents)} AND listed`;
  const matching =
    where === undefined ? all : sql`${all} AND ${compileFilter(where, termsOf(kind, parents))}`;
  const direction = descending ? sql`DESC` : sql`ASC`;
  const isOneParent = parents?.length === 1;
  // With several parents, the plus has SQLite sort what matches: no look at the whole kind.
  const first = parents === undefined || isOneParent ? sql`first` : sql`+first`;
  // A text is a claim of all objects that have it, or of none: so their ties are in order, too.
  const order =
    sortBy === undefined
      ? sql`${first} ${direction}`
      : sql`text ${direction}, tie ${direction}, first ${direction}`;
  const cursor = sortBy === undefined ? sql`first` : sql`first, text`;
  const tie = sortBy !== undefined && isOneParent ? sql`tie` : first;
  const rest =
    after === undefined ? matching : sql`${matching} AND ${isPast(after, tie, descending)}`;
  return {
    // One more tells whether the last is the last of all.
    page: sql`SELECT ${cursor} FROM ${rest} ORDER BY ${order} LIMIT ${limit + 1} OFFSET ${offset}`,
    total:
      where === undefined ? compileCount(kind, parents) : sql`SELECT count(*) FROM ${matching}`,
  };
}

/** The condition that a row comes behind the place: a range of the index that gives the order. */
function isPast({ folded, first }: Cursor, tie: Sql, descending: boolean): Sql {
  const beyond = descending ? sql`<` : sql`>`;
  // The tie of a claim is not its place.
  return folded === undefined
    ? sql`${tie} ${beyond} ${first}`
    : sql`(text, ${tie}) ${beyond} (${folded}, ${first}) AND first <> ${first}`;
}

function toCursor([first, folded]: readonly unknown[]): Cursor {
  if (typeof first !== "bigint") throw new TypeError("a position is no integer");
  return typeof folded === "string" ? { first, folded } : { first };
}
