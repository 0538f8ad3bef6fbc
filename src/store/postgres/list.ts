import { createFairSlots } from "../../slots.ts";
import { Forged } from "../chain/forged.ts";
import { assertAskedFor } from "../chain/state.ts";
import { compileFilter, isAlways, readsAllTexts } from "../filter.ts";
import type { ToObject } from "../object-row.ts";
import type { Cursor, ListQuery } from "../query.ts";
import { listLimits } from "../query.ts";
import { type Sql, sql } from "../sql.ts";
import type { ObjectPage } from "../store.ts";
import { listsOverloaded } from "../turns.ts";
import type { ObjectRow } from "../verify/rows.ts";
import { countWithin } from "../within.ts";
import { endingTogether } from "./deadline.ts";
import { callersError, sqlStateOf } from "./errors.ts";
import { type HeldLists, isInLists, readHeldLists, scopeOf, termsOf } from "./filter.ts";
import { readHead } from "./head.ts";
import type { PostgresLimits } from "./limits.ts";
import type { Connection, Pool } from "./pool.ts";
import { objectColumns } from "./row.ts";
import { numbered, textOf } from "./sql.ts";
import { decoded, fromStored } from "./text.ts";

/**
 * Objects up to which a list that reads all texts of a field joins them by hashes alone. Statistics
 * of the planner lag behind a burst of writes by a minute. A table that it takes for empty it would
 * read once for each object.
 */
export const hashedObjects = 20_000;

/** Makes the lists: what is not done in its time is given up, by the database itself. */
export function createLists(pool: Pool, toObject: ToObject, limits: PostgresLimits) {
  const slots = createFairSlots({
    concurrentMax: limits.lists,
    ofOneMax: limits.listsOfAsker,
    waitingMax: limits.waitingLists,
    overloaded: listsOverloaded,
  });
  return async (query: ListQuery): Promise<ObjectPage | undefined> => {
    const untilMs = performance.now() + limits.searchMs;
    const leftMs = () => Math.floor(untilMs - performance.now());
    const look = async () => {
      const timeoutMs = leftMs();
      if (timeoutMs <= 0) return undefined;
      try {
        return await pool.transaction(
          "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
          (connection) => list(endingTogether(connection, timeoutMs, leftMs), toObject, query),
          `SET LOCAL statement_timeout = ${timeoutMs}; SET LOCAL jit = off`,
        );
      } catch (error) {
        if (sqlStateOf(error) === "57014") return undefined;
        throw error instanceof Forged ? error : callersError(error);
      }
    };
    return await slots.run(query.asker?.name, look, query.asker?.signal);
  };
}

/** Lists objects, in a transaction whose statements all see one moment. */
export async function list(
  connection: Connection,
  toObject: ToObject,
  query: ListQuery,
): Promise<ObjectPage> {
  const ask = <Row extends object>(asked: Sql) => {
    const { text, values } = numbered(asked);
    return connection.query<Row>(text, values);
  };
  if (query.where && readsAllTexts(query.where)) await ask(joinsFor(query));
  const { page, total } = compileList(query, await readHeldLists(query.where, ask));
  const cursors = await ask<CursorColumns>(page);
  const [counted] = await ask<{ total: bigint }>(total);
  const wanted = cursors.slice(0, query.limit);
  const bytesMax = Math.min(query.stateBytes ?? Number.POSITIVE_INFINITY, listLimits.stateBytes);
  const count = countWithin(
    wanted.map(({ bytes }) => bytes ?? 0),
    bytesMax,
  );
  const rows =
    count === 0
      ? []
      : await connection.query<ObjectRow>(
          `SELECT ${objectColumns("o.stream")} FROM derived.objects o
             WHERE o.first = ANY($1::bigint[]) ORDER BY array_position($1, o.first)`,
          [wanted.slice(0, count).map(({ first }) => first)],
        );
  const last = cursors[count - 1];
  return {
    total: Number(counted?.total ?? 0n),
    objects: rows.map(decoded).map((row) => {
      assertAskedFor(query, row);
      return toObject(row);
    }),
    isCut: count < wanted.length,
    end: count < cursors.length && last !== undefined ? toCursor(last) : undefined,
    head: await readHead(connection),
  };
}

/** Sets how the statements of the transaction join. */
function joinsFor({ kind, parents }: ListQuery): Sql {
  const isLarge = sql`(coalesce(sum(objects), 0) > ${hashedObjects})::text`;
  return sql`SELECT set_config('enable_nestloop', ${isLarge}, true)
    FROM derived.counts WHERE ${scopeOf(kind, parents)}`;
}

interface CursorColumns {
  readonly first: bigint;
  readonly folded?: string;
  readonly bytes: number | null;
}

function toCursor({ first, folded }: CursorColumns): Cursor {
  return folded === undefined ? { first } : { first, folded: fromStored(folded) };
}

/**
 * The queries for the places of the objects on the page and of the one behind it, and for the
 * number of all that match.
 */
export function compileList(
  query: ListQuery,
  held: HeldLists,
): { readonly page: Sql; readonly total: Sql } {
  const { kind, parents, sortBy, descending = false, after, offset, limit } = query;
  const where = query.where && isAlways(query.where) ? undefined : query.where;
  const scope = scopeOf(kind, parents);
  const terms = termsOf(kind, parents, held);
  const matching = where === undefined ? sql`TRUE` : compileFilter(where, terms);
  const direction = descending ? sql`DESC` : sql`ASC`;
  const all =
    sortBy === undefined
      ? sql`derived.objects AS x WHERE ${scope} AND ${matching}`
      : sql`derived.texts AS x
          WHERE ${isInLists(kind, sortBy, parents)} AND listed AND ${matching}`;
  const behind = after === undefined ? sql`TRUE` : isPast(after, descending);
  const order =
    sortBy === undefined
      ? sql`x.first ${direction}`
      : sql`left(x.text, 200) ${direction}, x.text ${direction}, x.first ${direction}`;
  const cursor = sortBy === undefined ? sql`x.first` : sql`x.first, x.text AS folded`;
  return {
    // One more tells whether the last is the last of all.
    page: sql`SELECT p.*, (
        SELECT octet_length(o.state) FROM derived.objects o WHERE o.first = p.first
      ) AS bytes FROM (
        SELECT ${cursor}, row_number() OVER (ORDER BY ${order}) AS place
          FROM ${all} AND ${behind} ORDER BY ${order} LIMIT ${limit + 1} OFFSET ${offset}
      ) AS p ORDER BY p.place`,
    total:
      where === undefined
        ? sql`SELECT coalesce(sum(objects), 0)::bigint AS total FROM derived.counts WHERE ${scope}`
        : sql`SELECT count(*) AS total FROM ${all}`,
  };
}

/** The condition that a row comes behind the place: a range of the index that gives the order. */
function isPast(cursor: Cursor, descending: boolean): Sql {
  const beyond = descending ? sql`<` : sql`>`;
  if (cursor.folded === undefined) return sql`x.first ${beyond} ${cursor.first}`;
  const folded = textOf(cursor.folded);
  return sql`(left(x.text, 200), x.text, x.first)
    ${beyond} (left(${folded}, 200), ${folded}, ${cursor.first}::bigint)`;
}
