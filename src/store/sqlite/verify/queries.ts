import type Database from "better-sqlite3";
import type { EventColumns } from "../../row.ts";
import { queriesOf } from "../../verify/queries.ts";
import type { LineColumns, LogSize, ObjectColumns } from "../../verify/rows.ts";
import { objectColumns } from "../object-row.ts";
import { eventColumns, prepareRows } from "../row.ts";
import { type PassedColumns, passedText } from "./chain.ts";

/** The queries of a verification, besides those that read pages of rows. */
export function prepareQueries(db: Database.Database) {
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
    holder: one<[string, string, string], string>(
      "SELECT stream FROM claims WHERE kind = ? AND scope = ? AND value = ?",
    ),
    exact: one<[string, string, string, string, bigint], string>(
      `SELECT exact FROM fields
       WHERE kind = ? AND parent = ? AND name = ? AND folded = ? AND first = ?`,
    ),
    pending: one<[bigint, string], string>(
      "SELECT '' FROM messages WHERE position = ? AND field = ?",
    ),
  };
}

/** What is asked in the words of both stores. */
export const texts = queriesOf({
  schema: "",
  place: () => "?",
  claimsKey: ["kind", "scope", "value"],
  fieldsKey: ["kind", "parent", "name", "folded", "first"],
  isCounted: "TRUE",
});
