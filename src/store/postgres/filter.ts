import { afterPrefix, type FilterTerms, type Method } from "../filter.ts";
import { type Sql, sql } from "../sql.ts";
import { textOf, textsOf } from "./sql.ts";

/** Characters of a folded text that are in its index. */
export const indexedCharacters = 200;

/**
 * Conditions of a query that the planner may join with each other. PostgreSQL before 18 plans a
 * hundred of them for seconds; those behind the first ones are looked up as sets.
 */
export const joinedConditions = 8;

/**
 * The terms of a filter on a row `x` with an object's `first`. The scope is what is known of `kind`
 * and `parent` of all objects that are asked for, for the index of `fields`.
 */
export function termsWithin(scope: Sql): FilterTerms {
  let conditions = 0;
  return {
    field: (name, condition) => {
      conditions += 1;
      // A subquery with OFFSET stays one.
      const apart = conditions > joinedConditions ? sql`OFFSET 0` : sql``;
      return sql`x.first IN (SELECT first FROM iam.fields
        WHERE ${scope} AND name = ${textOf(name)} AND ${condition} ${apart})`;
    },
    ofStreams: (streams) =>
      sql`x.first IN (SELECT first FROM iam.objects WHERE stream = ANY(${textsOf(streams)}))`,
    folded,
    exact: () => sql`exact`,
    isIn: (column, texts) => sql`${column} = ANY(${textsOf(texts)})`,
    text: (column, method, text) => {
      const matching = matches(column, method, text);
      return column === folded ? sql`${indexed(method, text)} AND ${matching}` : matching;
    },
  };
}

const folded = sql`folded`;

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

/** What follows for the beginning of the text, which is in the index. */
function indexed(method: Method, text: string): Sql {
  const beginning = Array.from(text).slice(0, indexedCharacters).join("");
  const column = sql`left(folded, 200)`;
  if (method === "equals") return sql`${column} = ${textOf(beginning)}`;
  if (method === "above") return sql`${column} >= ${textOf(beginning)}`;
  if (method !== "starts-with") return sql`TRUE`;
  const end = afterPrefix(beginning);
  const reached = sql`${column} >= ${textOf(beginning)}`;
  return end === undefined ? reached : sql`${reached} AND ${column} < ${textOf(end)}`;
}
