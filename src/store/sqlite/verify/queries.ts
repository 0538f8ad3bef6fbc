import type Database from "better-sqlite3";
import type { EventColumns } from "../../row.ts";
import type {
  ClaimRow,
  CountRow,
  FieldRow,
  LineColumns,
  MessageRow,
  ObjectColumns,
  ObjectRow,
} from "../../verify/rows.ts";
import { newestColumns, objectColumns } from "../object-row.ts";
import { eventColumns, prepareRows } from "../row.ts";
import { type PassedColumns, passedText } from "./chain.ts";

/** The queries of a verification that are asked once, or for one thing each. */
export function prepareSingle(db: Database.Database) {
  const of = <Parameters extends unknown[], Row>(text: string) =>
    prepareRows<Parameters, Row>(db, text);
  const one = <Parameters extends unknown[], Value>(text: string) =>
    of<Parameters, Value>(text).pluck();
  const inStreams = (where: string) =>
    `SELECT ${eventColumns} FROM events ${where} ORDER BY events.stream, version`;
  return {
    size: of<[], { readonly events: bigint; readonly end: bigint | null }>(
      `SELECT (SELECT count(*) FILTER (WHERE position > 0) FROM events) AS events,
         (SELECT max(position) FROM events) AS end`,
    ),
    rowCounts: of<[], Record<"claims" | "fields" | "messages", bigint>>(
      `SELECT (SELECT count(*) FROM claims) AS claims, (SELECT count(*) FROM fields) AS fields,
         (SELECT count(*) FROM messages) AS messages`,
    ),
    lines: of<[], LineColumns>(
      "SELECT type, owner FROM messages EXCEPT SELECT type, owner FROM turns",
    ),
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
    message: of<[bigint, string], object>(
      "SELECT 1 FROM messages WHERE position = ? AND field = ?",
    ),
  };
}

/** A query from its beginning, and from behind a row by its key. */
export interface Paged<Key extends unknown[], Columns, Row extends object> {
  readonly first: Database.Statement<[], Columns>;
  readonly next: Database.Statement<Key, Columns>;
  keyOf(row: Row): Key;
}

/** The queries of a verification for all rows of a table. */
export function preparePages(db: Database.Database) {
  const paged = <Key extends unknown[], Columns, Row extends object = Columns & object>(
    from: (where: string) => string,
    where: string,
    keyOf: (row: Row) => Key,
  ): Paged<Key, Columns, Row> => ({
    first: prepareRows(db, from("")),
    next: prepareRows(db, from(where)),
    keyOf,
  });
  const fieldsKey = "kind, parent, name, folded, first";
  return {
    objects: paged<[bigint], ObjectRow>(
      (where) => `SELECT ${newestColumns} FROM objects ${where} ORDER BY first`,
      "WHERE first > ?",
      ({ first }) => [first],
    ),
    claims: paged<[string, string, string], ClaimRow>(
      (where) => `SELECT kind, scope, value, stream FROM claims ${where}
       ORDER BY kind, scope, value`,
      "WHERE (kind, scope, value) > (?, ?, ?)",
      ({ kind, scope, value }) => [kind, scope, value],
    ),
    fields: paged<[string, string, string, string, bigint], FieldRow>(
      (where) => `SELECT ${fieldsKey}, exact, coalesce(
           (SELECT stream FROM events WHERE events.position = fields.first),
           (SELECT stream FROM objects WHERE objects.first = fields.first)) AS stream
       FROM fields ${where} ORDER BY ${fieldsKey}`,
      `WHERE (${fieldsKey}) > (?, ?, ?, ?, ?)`,
      ({ kind, parent, name, folded, first }) => [kind, parent, name, folded, first],
    ),
    messages: paged<[bigint, string], MessageRow>(
      (where) => `SELECT events.stream, messages.position, field, messages.type, messages.owner,
         events.type AS askedType, events.owner AS askedOwner
       FROM messages LEFT JOIN events ON events.position = messages.position ${where}
       ORDER BY messages.position, field`,
      "WHERE (messages.position, field) > (?, ?)",
      ({ position, field }) => [position, field],
    ),
    groups: paged<[string, string], CountRow>(
      // A group is one step: SQLite counts it in an index.
      (where) => `SELECT kind, parent, count(*) AS objects,
         (SELECT objects FROM counts
           WHERE counts.kind = objects.kind AND counts.parent = objects.parent) AS counted
       FROM objects WHERE kind IS NOT NULL AND parent IS NOT NULL ${where}
       GROUP BY kind, parent ORDER BY kind, parent`,
      "AND (kind, parent) > (?, ?)",
      ({ kind, parent }) => [kind, parent],
    ),
    counts: paged<[string, string], CountRow>(
      (where) => `SELECT kind, parent, objects AS counted, EXISTS (SELECT 1 FROM objects
           WHERE objects.kind = counts.kind AND objects.parent = counts.parent) AS objects
       FROM counts ${where} ORDER BY kind, parent`,
      "WHERE (kind, parent) > (?, ?)",
      ({ kind, parent }) => [kind, parent],
    ),
  };
}
