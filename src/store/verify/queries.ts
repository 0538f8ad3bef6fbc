import type { ClaimRow, FieldRow, PagedRows } from "./rows.ts";

// What a verification asks of the tables, in the words that both stores have in common.

/** What each store says in its own way. */
export interface Dialect {
  /** What is before the name of a table. */
  readonly schema: "" | "iam.";
  /** The nth value of a statement, from 1. */
  place(nth: number): string;
  /** The columns by which claims and fields are found, and read in order. */
  readonly claimsKey: readonly (keyof ClaimRow & string)[];
  readonly fieldsKey: readonly (keyof FieldRow & string)[];
  /** Which rows of `counts AS c` need an object. */
  readonly isCounted: string;
}

/** How all rows of a table are read, in the order of a key that no two of them share. */
interface Page<Row> {
  readonly alias: string;
  readonly key: readonly (keyof Row & string)[];
  text(where: string): string;
}

type Pages = { readonly [Name in keyof PagedRows]: Page<PagedRows[Name]> };

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
      const values = after === undefined ? [] : key.map((column) => after[column]);
      return { text: `${text(where)} ORDER BY ${columns}`, values };
    },
  };
}

function pagesOf({ schema: iam, claimsKey, fieldsKey, isCounted }: Dialect): Pages {
  return {
    objects: {
      alias: "o",
      key: ["first"],
      text: (where) => `SELECT o.*,
         (SELECT max(e.version) FROM ${iam}events e WHERE e.stream = o.stream) AS newest
       FROM ${iam}objects o WHERE ${where}`,
    },
    claims: {
      alias: "c",
      key: claimsKey,
      text: (where) => `SELECT c.* FROM ${iam}claims c WHERE ${where}`,
    },
    fields: {
      alias: "f",
      key: fieldsKey,
      text: (where) => `SELECT f.*, coalesce(
           (SELECT e.stream FROM ${iam}events e WHERE e.position = f.first),
           (SELECT o.stream FROM ${iam}objects o WHERE o.first = f.first)) AS stream
       FROM ${iam}fields f WHERE ${where}`,
    },
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
