import { afterPrefix, type FilterTerms, type Method } from "../filter.ts";
import type { Sql } from "../sql.ts";
import { sql } from "../sql.ts";
import { listOf } from "../texts.ts";
import { inPace } from "./pace.ts";
import { list } from "./sql.ts";

/**
 * The terms of a filter on a row `x` with an object's `first`, of a kind and under any of the
 * parents; left out, under all.
 */
export function termsOf(kind: string, parents: readonly string[] | undefined): FilterTerms {
  return {
    field: (name, condition) =>
      sql`x.first IN (SELECT first FROM texts
        WHERE ${inPace} AND ${isInLists(kind, name, parents)} AND listed AND ${condition})`,
    folded,
    // A subquery is looked at last, and so only of texts whose folded form matches.
    exact: (name) =>
      sql`(SELECT o.fields ->> ${name} FROM objects AS o WHERE o.first = texts.first)`,
    ofStreams: (streams) =>
      sql`x.first IN (SELECT first FROM objects WHERE stream IN ${list(streams)})`,
    holds: (claims, scopes) => {
      const { kind, name } = listOf({ kind: claims, scope: "" });
      return sql`x.first IN (SELECT first FROM texts
        WHERE ${inPace} AND ${isInLists(kind, name, scopes)} AND tie = 0)`;
    },
    isIn: (column, texts) => sql`${column} IN ${list(texts)}`,
    text: (column, method, text) =>
      column === folded && method === "starts-with"
        ? startsWith(text)
        : matches(column, method, text),
  };
}

const folded = sql`text`;

/** That a row of `texts` is in the list of a field, under the parents. */
export function isInLists(kind: string, name: string, parents: readonly string[] | undefined): Sql {
  const named = sql`SELECT number FROM lists WHERE kind = ${kind} AND name = ${name}`;
  if (parents === undefined) return sql`list IN (${named})`;
  const under = sql`(${named} AND ${isUnder(parents)})`;
  // Compared with one list, rows come in the order of the key.
  return parents.length === 1 ? sql`list = ${under}` : sql`list IN ${under}`;
}

/** That a row has one of the parents. Compared with one, rows come in the order of the index. */
export function isUnder(parents: readonly string[]): Sql {
  const [parent] = parents;
  return parent !== undefined && parents.length === 1
    ? sql`parent = ${parent}`
    : sql`parent IN ${list(parents)}`;
}

/** LIKE and GLOB are of no use: some characters mean something there, and A may equal a. */
function matches(column: Sql, method: Method, text: string): Sql {
  switch (method) {
    case "equals":
      return sql`${column} = ${text}`;
    case "starts-with":
      return sql`substr(${column}, 1, length(${text})) = ${text}`;
    case "contains":
      return sql`instr(${column}, ${text}) > 0`;
    case "ends-with":
      return sql`substr(${column}, length(${column}) - length(${text}) + 1) = ${text}`;
    case "above":
      return sql`${column} > ${text}`;
  }
}

/** The condition that a field starts with the prefix: one range of the index. */
function startsWith(prefix: string): Sql {
  const end = afterPrefix(prefix);
  const reached = sql`${folded} >= ${prefix}`;
  return end === undefined ? reached : sql`${reached} AND ${folded} < ${end}`;
}
