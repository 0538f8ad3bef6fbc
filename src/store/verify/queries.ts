import type { PagedRows } from "./rows.ts";

// What a verification asks of the tables, in the words that both stores have in common.

/** What each store says in its own way. */
export interface Dialect {
  /** What is before the name of a table, and of one that the projection alone makes. */
  readonly log: "" | "iam.";
  readonly derived: "" | "derived.";
  /** The nth value of a statement, from 1. */
  placeholder(nth: number): string;
  /** The columns of a key of `texts AS t`, in the order of an index. */
  readonly textsKey: readonly string[];
  /** Which rows of `counts AS c` need an object. */
  readonly isCounted: string;
}

/** How all rows of a table are read, in the order of a key that no two of them share. */
interface Page {
  readonly alias: string;
  /** Columns of the table, which the rows have as well. */
  readonly key: readonly string[];
  text(where: string): string;
}

type Pages = { readonly [Name in keyof PagedRows]: Page };

/** Makes the queries of a store. */
export function queriesOf(dialect: Dialect) {
  const { log: iam, placeholder } = dialect;
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
      const placeholders = key.map((_, i) => placeholder(i + 1)).join();
      const where = after === undefined ? "TRUE" : `(${columns}) > (${placeholders})`;
      const row: { readonly [column: string]: unknown } = { ...after };
      const values = after === undefined ? [] : key.map((column) => row[column]);
      return { text: `${text(where)} ORDER BY ${columns}`, values };
    },
  };
}

/** Whether a row of `texts AS t` is one that lists see. */
export const isField = "CAST(t.listed AS integer) = 1 AND t.tie IN (0, t.first)";

function pagesOf({ log: iam, derived, textsKey, isCounted }: Dialect): Pages {
  /** Rows of `texts AS t` with their list `l`, and the stream that begins at their `first`. */
  const texts = (columns: string, which: string): Page => ({
    ...{ alias: "t", key: textsKey },
    text: (where) => `SELECT t.list, t.text, t.tie, t.first, ${columns}, coalesce(
         (SELECT e.stream FROM ${iam}events e WHERE e.position = t.first),
         (SELECT o.stream FROM ${derived}objects o WHERE o.first = t.first)) AS stream
       FROM ${derived}texts t LEFT JOIN ${derived}lists l ON l.number = t.list
       WHERE ${which} AND ${where}`,
  });
  return {
    objects: {
      alias: "o",
      key: ["first"],
      text: (where) => `SELECT o.*,
         (SELECT max(e.version) FROM ${iam}events e WHERE e.stream = o.stream) AS newest
       FROM ${derived}objects o WHERE ${where}`,
    },
    claims: texts(
      `coalesce(CASE WHEN l.kind = '' THEN l.name ELSE l.kind || '.' || l.name END, '') AS kind,
         coalesce(l.parent, '') AS scope, t.text AS value`,
      "t.tie = 0",
    ),
    // What is neither a claim nor a field has no name, and so no event explains it.
    fields: texts(
      `coalesce(l.kind, '') AS kind, coalesce(l.parent, '') AS parent, t.text AS folded,
         CASE WHEN ${isField} THEN coalesce(l.name, '') ELSE '' END AS name`,
      "(t.tie <> 0 OR t.listed)",
    ),
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
         (SELECT c.objects FROM ${derived}counts c
           WHERE c.kind = o.kind AND c.parent = o.parent) AS counted
       FROM ${derived}objects o WHERE o.kind IS NOT NULL AND o.parent IS NOT NULL AND ${where}
       GROUP BY o.kind, o.parent`,
    },
    counts: {
      alias: "c",
      key: ["kind", "parent"],
      text: (where) => `SELECT c.kind, c.parent, c.objects AS counted,
         (SELECT count(*) FROM (SELECT 1 FROM ${derived}objects o
           WHERE o.kind = c.kind AND o.parent = c.parent LIMIT 1) AS one) AS objects
       FROM ${derived}counts c WHERE ${isCounted} AND ${where}`,
    },
    attachments: {
      alias: "a",
      key: ["digest"],
      text: (where) => `SELECT a.digest, sha256(a.bytes) AS found
       FROM ${iam}attachments a WHERE ${where}`,
    },
  };
}
