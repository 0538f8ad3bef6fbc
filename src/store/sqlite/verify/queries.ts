import type Database from "better-sqlite3";
import type { Claim } from "../../../event.ts";
import type { EventColumns } from "../../row.ts";
import { queriesOf, streamAt } from "../../verify/queries.ts";
import type { LineColumns, LogSize, ObjectColumns } from "../../verify/rows.ts";
import { objectColumns } from "../object-row.ts";
import { eventColumns, prepareRows } from "../row.ts";
import { prepareTexts } from "../texts.ts";
import { type PassedColumns, passedText } from "./chain.ts";

/** The queries of a verification, besides those that read pages of rows. */
export function prepareQueries(db: Database.Database) {
  const { holdersOf } = prepareTexts(db);
  const of = <Parameters extends unknown[], Row>(text: string) =>
    prepareRows<Parameters, Row>(db, text);
  const one = <Parameters extends unknown[], Value>(text: string) =>
    of<Parameters, Value>(text).pluck();
  const inStreams = (where: string) =>
    `SELECT ${eventColumns} FROM events ${where} ORDER BY events.stream, version`;
  return {
    size: of<[], LogSize>(texts.size),
    lines: of<[], LineColumns>(texts.linesWithoutTurn),
    events: of<[bigint, bigint], PassedColumns>(passedText),
    allStreams: of<[], EventColumns>(inStreams("")),
    inStreams: of<[string], EventColumns>(inStreams("WHERE events.stream > ?")),
    ofStream: of<[string, bigint], EventColumns>(
      `SELECT ${eventColumns} FROM events WHERE stream = ? AND version > ? ORDER BY version`,
    ),
    object: of<[string], ObjectColumns>(`SELECT ${objectColumns} FROM objects WHERE stream = ?`),
    holderOf: (claim: Claim) => holdersOf([claim])[0] ?? undefined,
    exact: one<[string, string, string, string, bigint], string>(
      `SELECT ${exact} FROM lists AS l JOIN texts AS t ON t.list = l.number
       WHERE l.kind = ? AND l.parent = ? AND l.name = ? AND t.text = ? AND t.first = ?
         AND ${isField}`,
    ),
    pending: one<[bigint, string], string>(
      "SELECT '' FROM messages WHERE position = ? AND field = ?",
    ),
  };
}

/** Whether a row of `texts AS t` is one that lists see. */
const isField = "t.listed = 1 AND t.tie IN (0, t.first)";

/** The text of the field as it is; `l` is its list. */
const exact = "(SELECT o.fields ->> l.name FROM objects AS o WHERE o.first = t.first)";

/** What is asked in the words of both stores. */
export const texts = queriesOf({
  schema: "",
  place: () => "?",
  claims: {
    ...{ alias: "t", key: ["list", "text"] },
    text: (where) => `SELECT t.list, t.text,
        coalesce(iif(l.kind = '', l.name, l.kind || '.' || l.name), '') AS kind,
        coalesce(l.parent, '') AS scope, t.text AS value, ${streamAt("", "t")} AS stream
      FROM texts AS t LEFT JOIN lists AS l ON l.number = t.list WHERE t.tie = 0 AND ${where}`,
  },
  fields: {
    ...{ alias: "t", key: ["list", "text", "tie"] },
    // What is neither a claim nor a field has no name, and so no event explains it.
    text: (where) => `SELECT t.list, t.text, t.tie, coalesce(l.kind, '') AS kind,
        coalesce(l.parent, '') AS parent, iif(${isField}, coalesce(l.name, ''), '') AS name,
        t.text AS folded, t.first, coalesce(${exact}, '') AS exact, ${streamAt("", "t")} AS stream
      FROM texts AS t LEFT JOIN lists AS l ON l.number = t.list
      WHERE (t.tie <> 0 OR t.listed <> 0) AND ${where}`,
  },
  isCounted: "TRUE",
});
