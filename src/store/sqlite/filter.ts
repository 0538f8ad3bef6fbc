import { afterPrefix, type FilterTerms, type Method } from "../filter.ts";
import type { Sql } from "../sql.ts";
import { sql } from "../sql.ts";
import { inPace } from "./pace.ts";
import { list } from "./sql.ts";

/**
 * The terms of a filter on a row `x` with an object's `first`. The scope is what is known of `kind`
 * and `parent` of all objects that are asked for; with it the key of `fields` is an index.
 */
export function termsWithin(scope: Sql): FilterTerms {
  return {
    field: (name, condition) =>
      sql`x.first IN (SELECT first FROM fields
        WHERE ${inPace} AND ${scope} AND name = ${name} AND ${condition})`,
    ofStreams: (streams) =>
      sql`x.first IN (SELECT first FROM objects WHERE stream IN ${list(streams)})`,
    isIn: (column, texts) => sql`${column} IN ${list(texts)}`,
    text: (column, method, text) =>
      column === "folded" && method === "starts-with"
        ? startsWith(text)
        : matches(column === "folded" ? sql`folded` : sql`exact`, method, text),
  };
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
  const reached = sql`folded >= ${prefix}`;
  return end === undefined ? reached : sql`${reached} AND folded < ${end}`;
}
