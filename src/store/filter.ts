import { foldText } from "../text/fold.ts";
import type { Filter } from "./query.ts";
import type { Sql } from "./sql.ts";
import { sql } from "./sql.ts";

/** How a text is compared. */
export type Method = Extract<Filter, { readonly kind: "text" }>["method"];

/** What a database says differently from others in a filter. */
export interface FilterTerms {
  /** That the object has a field of this name whose text meets a condition. */
  field(name: string, condition: Sql): Sql;
  /** In such a condition, the text folded, and as it is. */
  readonly folded: Sql;
  exact(name: string): Sql;
  /** That the object is of one of the streams. */
  ofStreams(streams: readonly string[]): Sql;
  /** That the object holds claims of this kind in one of the scopes. */
  holds(claims: string, scopes: readonly string[]): Sql;
  /** That a text is one of these. */
  isIn(column: Sql, texts: readonly string[]): Sql;
  /** That a text compares so with another. */
  text(column: Sql, method: Method, text: string): Sql;
}

/** The condition that an object must meet. */
export function compileFilter(filter: Filter, terms: FilterTerms): Sql {
  const compile = (inner: Filter) => compileFilter(inner, terms);
  switch (filter.kind) {
    case "text": {
      const { field, method, ignoreCase, value } = filter;
      const folded = terms.text(terms.folded, method, foldText(value));
      const exact = () => sql`${folded} AND ${terms.text(terms.exact(field), method, value)}`;
      return terms.field(field, ignoreCase ? folded : exact());
    }
    case "one-of": {
      const { field, values } = filter;
      const folded = terms.isIn(terms.folded, values.map(foldText));
      return terms.field(field, sql`${folded} AND ${terms.isIn(terms.exact(field), values)}`);
    }
    case "streams":
      return terms.ofStreams(filter.streams);
    case "holds":
      return terms.holds(filter.claims, filter.scopes);
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

/** A condition by itself. */
type Condition = Exclude<Filter, { readonly kind: "and" | "or" | "not" }>;

/** The conditions of a filter, at whatever depth. */
function conditionsIn(filter: Filter): readonly Condition[] {
  switch (filter.kind) {
    case "and":
    case "or":
      return filter.filters.flatMap(conditionsIn);
    case "not":
      return conditionsIn(filter.filter);
    default:
      return [filter];
  }
}

/** The conditions of a filter on what objects hold, at whatever depth. */
export function holdsIn(filter: Filter): readonly Extract<Filter, { readonly kind: "holds" }>[] {
  return conditionsIn(filter).filter((one) => one.kind === "holds");
}

/** Whether a condition of a filter can be found only by reading all texts of a field. */
export function readsAllTexts(filter: Filter): boolean {
  return conditionsIn(filter).some(
    (one) => one.kind === "text" && (one.method === "contains" || one.method === "ends-with"),
  );
}

/** Whether every object matches, because there is no condition. */
export function isAlways(filter: Filter): boolean {
  return filter.kind === "and" && filter.filters.every(isAlways);
}

/**
 * The least text above all that start with the prefix, in the order of code points; undefined when
 * there is none.
 */
export function afterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix.toWellFormed(), (character) => character.codePointAt(0) ?? 0);
  const last = points.findLastIndex((point) => point < 0x10ffff);
  const point = points[last];
  if (point === undefined) return undefined;
  // Surrogates are no characters of a text.
  const next = point === 0xd7ff ? 0xe000 : point + 1;
  return String.fromCodePoint(...points.slice(0, last), next);
}
