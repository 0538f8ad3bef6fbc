import type { PagedRows } from "./rows.ts";

// What a verification asks of the tables, in the words that both stores have in common.

/** What each store says in its own way. */
export interface Dialect {
  /** What is before the name of a table. */
  readonly schema: "" | "iam.";
  /** The nth value of a statement, from 1. */
  place(nth: number): string;
  /** How claims and fields are read. */
  readonly claims: Page;
  readonly fields: Page;
  /** Which rows of `counts AS c` need an object. */
  readonly isCounted: string;
}

/** How all rows of a table are read, in the order of a key that no two of them share. */
export interface Page {
  readonly alias: string;
  /** Columns of the table, which the rows have as well. */
  readonly key: readonly string[];
  text(where: string): string;
}

type Pages = { readonly [Name in keyof PagedRows]: Page };

/** Makes the queries of a store. */
export function queriesOf(dialect: Dialect) {
  const { schema: iam, place } = dialect;
  const pages = pagesOf(dialect);
  return {
    size: `SELECT (SELECT count(*) FILTER (WHERE position > 0) FROM ${iam}events) AS events,
       (SELECT coalesce(max(position), 0) FROM ${iam}events) AS "end"`,
    linesWithoutTurn: `SELECT type, owner FROM ${iam}messages
       EXCEPT SELECT type, owner FROM ${iam}turns`,
    /** The query for the rows of a table behind one, or for all of them, and its values. */
    page<Name extends keyof PagedRows>(name: Name, after: PagedRows[Name] | undefined) {
      const { alias, key, text } = pages[name];
      const columns = key.map((column) => `${alias}.${column}`).join();
      const places = key.map((_, i) => place(i + 1)).join();
      const where = after === undefined ? "TRUE" : `(${columns}) > (${places})`;
      const row: { readonly [column: string]: unknown } = { ...after };
      const values = after === undefined ? [] : key.map((column) => row[column]);
      return { text: `${text(where)} ORDER BY ${columns}`, values };
    },
  };
}

/** The stream that begins at the `first` of a row, by its event or else by its object. */
export function streamAt(schema: Dialect["schema"], alias: string): string {
  return `coalesce(
    (SELECT e.stream FROM ${schema}events e WHERE e.position = ${alias}.first),
    (SELECT o.stream FROM ${schema}objects o WHERE o.first = ${alias}.first))`;
}

function pagesOf({ schema: iam, claims, fields, isCounted }: Dialect): Pages {
  return {
    objects: {
      alias: "o",
      key: ["first"],
      text: (where) => `SELECT o.*,
         (SELECT max(e.version) FROM ${iam}events e WHERE e.stream = o.stream) AS newest
       FROM ${iam}objects o WHERE ${where}`,
    },
    claims,
    fields,
    messages: {
      alias: "m",
      key: ["position", "field"],
      text: (where) => `SELECT e.stream, m.position, m.field, m.type, m.owner,
         e.type AS "askedType", e.owner AS "askedOwner"
       FROM ${iam}messages m LEFT JOIN ${iam}events e ON e.position = m.position
       WHERE ${where}`,
    },
    groups: {
      alias: "o",
      key: ["kind", "parent"],
      // A group is one step: it is counted in an index.
      text: (where) => `SELECT o.kind, o.parent, count(*) AS objects,
         (SELECT c.objects FROM ${iam}counts c
           WHERE c.kind = o.kind AND c.parent = o.parent) AS counted
       FROM ${iam}objects o WHERE o.kind IS NOT NULL AND o.parent IS NOT NULL AND ${where}
       GROUP BY o.kind, o.parent`,
    },
    counts: {
      alias: "c",
      key: ["kind", "parent"],
      text: (where) => `SELECT c.kind, c.parent, c.objects AS counted,
         (SELECT count(*) FROM (SELECT 1 FROM ${iam}objects o
           WHERE o.kind = c.kind AND o.parent = c.parent LIMIT 1) AS one) AS objects
       FROM ${iam}counts c WHERE ${isCounted} AND ${where}`,
    },
  };
}
