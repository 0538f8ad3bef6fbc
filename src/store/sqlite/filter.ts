import { foldText } from "../../text/fold.ts";
import type { Filter } from "../query.ts";
import { inPace } from "./pace.ts";
import type { Sql } from "./sql.ts";
import { list, sql } from "./sql.ts";

/**
 * The condition that a row `x` with an object's `first` must meet. The scope is what is known of
 * `kind` and `parent` of all objects that are asked for; with it the key of `fields` is an index.
 */
export function compileFilter(filter: Filter, scope: Sql): Sql {
  const compile = (inner: Filter) => compileFilter(inner, scope);
  const whereField = (name: string, condition: Sql) =>
    sql`x.first IN (SELECT first FROM fields
      WHERE ${inPace} AND ${scope} AND name = ${name} AND ${condition})`;
  switch (filter.kind) {
    case "text":
      return whereField(filter.field, compileText(filter));
    case "one-of": {
      const folded = list(filter.values.map(foldText));
      return whereField(filter.field, sql`folded IN ${folded} AND exact IN ${list(filter.values)}`);
    }
    case "streams":
      return sql`x.first IN (SELECT first FROM objects WHERE stream IN ${list(filter.streams)})`;
    case "and": {
      const all = filter.filters.map(compile);
      return sql`(${all.reduce((some, one) => sql`${some} AND ${one}`, sql`TRUE`)})`;
    }
    case "or": {
      const any = filter.filters.map(compile);
      return sql`(${any.reduce((some, one) => sql`${some} OR ${one}`, sql`FALSE`)})`;
    }
    case "not":
      return sql`NOT ${compile(filter.filter)}`;
  }
}

type TextFilter = Extract<Filter, { readonly kind: "text" }>;

function compileText({ method, ignoreCase, value }: TextFilter): Sql {
  const text = foldText(value);
  const folded = method === "starts-with" ? startsWith(text) : matches(sql`folded`, method, text);
  return ignoreCase ? folded : sql`${folded} AND ${matches(sql`exact`, method, value)}`;
}

/** LIKE and GLOB are of no use: some characters mean something there, and A may equal a. */
function matches(column: Sql, method: TextFilter["method"], text: string): Sql {
  switch (method) {
    case "equals":
      return sql`${column} = ${text}`;
    case "starts-with":
      return sql`substr(${column}, 1, length(${text})) = ${text}`;
    case "contains":
      return sql`instr(${column}, ${text}) > 0`;
    case "ends-with":
      return sql`substr(${column}, length(${column}) - length(${text}) + 1) = ${text}`;
  }
}

/** The condition that a field starts with the prefix: one range of the index. */
function startsWith(prefix: string): Sql {
  const end = afterPrefix(prefix);
  const reached = sql`folded >= ${prefix}`;
  return end === undefined ? reached : sql`${reached} AND folded < ${end}`;
}

/**
 * The least text above all that start with the prefix, in the order of SQLite, which is that of
 * code points; undefined when there is none.
 */
function afterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix.toWellFormed(), (character) => character.codePointAt(0) ?? 0);
  const last = points.findLastIndex((point) => point < 0x10ffff);
  const point = points[last];
  if (point === undefined) return undefined;
  // Surrogates are no characters of a text.
  const next = point === 0xd7ff ? 0xe000 : point + 1;
  return String.fromCodePoint(...points.slice(0, last), next);
}
