import type Database from "better-sqlite3";
import type { Claim } from "../../../event.ts";
import type { EventColumns } from "../../row.ts";
import { isField, queriesOf } from "../../verify/queries.ts";
import type { LineColumns, LogSize, ObjectColumns } from "../../verify/rows.ts";
import { type PassedColumns, passedText } from "../chain.ts";
import { objectColumns } from "../object-row.ts";
import { eventColumns, prepareRows } from "../row.ts";
import { prepareTexts } from "../texts.ts";

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
    field: one<[string, string, string, string, bigint], string>(
      `SELECT '' FROM lists AS l JOIN texts AS t ON t.list = l.number
       WHERE l.kind = ? AND l.parent = ? AND l.name = ? AND t.text = ? AND t.first = ?
         AND ${isField}`,
    ),
    pending: one<[bigint, string], string>(
      "SELECT '' FROM messages WHERE position = ? AND field = ?",
    ),
  };
}

/** What is asked in the words of both stores. */
export const texts = queriesOf({
  ...{ log: "", derived: "" },
  placeholder: () => "?",
  textsKey: ["list", "text", "tie"],
  isCounted: "TRUE",
});
