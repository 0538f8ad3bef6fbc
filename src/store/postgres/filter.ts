import { afterPrefix, type FilterTerms, holdsIn, type Method } from "../filter.ts";
import type { Filter } from "../query.ts";
import { type Sql, sql } from "../sql.ts";
import { listOf } from "../texts.ts";
import { textOf, textsOf } from "./sql.ts";
import { isClaim } from "./texts.ts";

/** Characters of a folded text that are in its index. */
export const indexedCharacters = 200;

/**
 * Conditions of a query that the planner may join with each other. PostgreSQL before 18 plans a
 * hundred of them for seconds; those behind the first ones are looked up as sets.
 */
export const joinedConditions = 8;

/** The numbers of the lists that a filter asks for by what objects hold. */
export type HeldLists = (claims: string, scopes: readonly string[]) => readonly bigint[];

/**
 * Reads the numbers of those lists. As constants of the query they tell the planner how much is in
 * each: of a number that a subquery finds it knows nothing, and looks up objects one by one.
 */
export async function readHeldLists(
  filter: Filter | undefined,
  ask: <Row extends object>(asked: Sql) => Promise<readonly Row[]>,
): Promise<HeldLists> {
  const numbers = new Map<string, readonly bigint[]>();
  const keyOf = (claims: string, scopes: readonly string[]) => JSON.stringify([claims, scopes]);
  for (const { claims, scopes } of filter === undefined ? [] : holdsIn(filter)) {
    const { kind, name } = listOf({ kind: claims, scope: "" });
    const rows = await ask<{ readonly number: bigint }>(
      sql`SELECT number FROM derived.lists
        WHERE ${scopeOf(kind, scopes)} AND name = ${textOf(name)}`,
    );
    numbers.set(
      keyOf(claims, scopes),
      rows.map(({ number }) => number),
    );
  }
  return (claims, scopes) => numbers.get(keyOf(claims, scopes)) ?? [];
}

/**
 * The terms of a filter on a row `x` with an object's `first`, of a kind and under any of the
 * parents; left out, under all.
 */
export function termsOf(
  kind: string,
  parents: readonly string[] | undefined,
  held: HeldLists,
): FilterTerms {
  let conditions = 0;
  return {
    field: (name, condition) => {
      conditions += 1;
      // A subquery with OFFSET stays one.
      const apart = conditions > joinedConditions ? sql`OFFSET 0` : sql``;
      return sql`x.first IN (SELECT first FROM derived.texts
        WHERE ${isInLists(kind, name, parents)} AND listed AND ${condition} ${apart})`;
    },
    ofStreams: (streams) =>
      sql`x.first IN (SELECT first FROM derived.objects WHERE stream = ANY(${textsOf(streams)}))`,
    holds: (claims, scopes) => {
      const [number = -1n, ...more] = held(claims, scopes);
      const inList =
        more.length === 0 ? sql`list = ${number}` : sql`list = ANY(${[number, ...more]})`;
      return sql`x.first IN (SELECT first FROM derived.texts t WHERE ${inList} AND ${isAClaim})`;
    },
    folded,
    // A subquery is looked at last, and so only of texts whose folded form matches.
    exact: (name) =>
      sql`(SELECT ${fields}::json ->> ${textOf(name)}
        FROM derived.objects o WHERE o.first = texts.first)`,
    isIn: (column, texts) => sql`${column} = ANY(${textsOf(texts)})`,
    text: (column, method, text) => {
      const matching = matches(column, method, text);
      return column === folded ? sql`${indexed(method, text)} AND ${matching}` : matching;
    },
  };
}

const folded = sql`text`;

const isAClaim: Sql = { text: isClaim("t"), values: [] };

/** The fields of an object as JSON, with each text as PostgreSQL keeps it elsewhere. */
const fields = sql`replace(replace(replace(o.fields, '\\\\', '\\u005c'),
  '\\u0001', '\\u0001\\u0002'), '\\u0000', '\\u0001\\u0001')`;

/** That a row of `texts` is in the list of a field, under the parents. */
export function isInLists(kind: string, name: string, parents: readonly string[] | undefined): Sql {
  const scope = scopeOf(kind, parents);
  const numbers = sql`(SELECT number FROM derived.lists WHERE ${scope} AND name = ${textOf(name)})`;
  return parents?.length === 1 ? sql`list = ${numbers}` : sql`list = ANY(ARRAY${numbers})`;
}

/** Compared with one parent, or with one list, rows come in the order of the index. */
export function scopeOf(kind: string, parents: readonly string[] | undefined): Sql {
  const ofKind = sql`kind = ${textOf(kind)}`;
  if (parents === undefined) return ofKind;
  const [parent] = parents;
  return parent !== undefined && parents.length === 1
    ? sql`${ofKind} AND parent = ${textOf(parent)}`
    : sql`${ofKind} AND parent = ANY(${textsOf(parents)})`;
}

/** LIKE is of no use: some characters mean something there. */
function matches(column: Sql, method: Method, text: string): Sql {
  const value = textOf(text);
  switch (method) {
    case "equals":
      return sql`${column} = ${value}`;
    case "starts-with":
      return sql`starts_with(${column}, ${value})`;
    case "contains":
      return sql`strpos(${column}, ${value}) > 0`;
    case "ends-with":
      return sql`right(${column}, length(${value})) = ${value}`;
    case "above":
      return sql`${column} > ${value}`;
  }
}

/** What the index has of a text. */
export function beginningOf(text: string): string {
  return Array.from(text).slice(0, indexedCharacters).join("");
}

/** What follows for the beginning of the text, which is in the index. */
function indexed(method: Method, text: string): Sql {
  const beginning = beginningOf(text);
  const column = sql`left(text, 200)`;
  if (method === "equals") return sql`${column} = ${textOf(beginning)}`;
  if (method === "above") return sql`${column} >= ${textOf(beginning)}`;
  if (method !== "starts-with") return sql`TRUE`;
  const end = afterPrefix(beginning);
  const reached = sql`${column} >= ${textOf(beginning)}`;
  return end === undefined ? reached : sql`${reached} AND ${column} < ${textOf(end)}`;
}
