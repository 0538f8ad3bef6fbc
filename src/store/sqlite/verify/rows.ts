import type Database from "better-sqlite3";
import type { MessageKey } from "../../message.ts";
import { type ObjectColumns, objectColumns } from "../object-row.ts";
import { prepareRows } from "../row.ts";
import type { Paged } from "./pieces.ts";

// The rows of the derived tables as they are compared.

/** A row of `claims`. */
export interface ClaimColumns {
  readonly stream: string;
  readonly kind: string;
  readonly scope: string;
  readonly value: string;
}

/** A row of `fields`. */
export interface FieldColumns {
  readonly kind: string;
  readonly parent: string;
  readonly name: string;
  readonly folded: string;
  readonly first: bigint;
  readonly exact: string;
}

/** What a row of `messages` says, with the stream that has an event at `position`. */
export interface MessageColumns {
  readonly stream: string | null;
  readonly position: bigint;
  readonly field: string;
  readonly type: string;
  readonly owner: string;
  /** What the event says, where there is one. */
  readonly askedType: string | null;
  readonly askedOwner: string | null;
}

/** Where the object of a row begins and ends, as far as there is one. */
export interface OfObject {
  readonly first: bigint | null;
  readonly position: bigint | null;
}

/** How single rows of the derived tables are found. */
export interface Lookups {
  object(stream: string): ObjectColumns | undefined;
  /** The stream that holds a claim. */
  holder(claim: Omit<ClaimColumns, "stream">): string | undefined;
  /** The text of a field as it is; undefined where there is no such row. */
  exact(field: FieldColumns): string | undefined;
  isPending(key: MessageKey): boolean;
  /** The stream of the event at a position, or else of the object from there. */
  streamAt(position: bigint): string | undefined;
}

export function prepareLookups(db: Database.Database): Lookups {
  const object = prepareRows<[string], ObjectColumns>(
    db,
    `SELECT ${objectColumns} FROM objects WHERE stream = ?`,
  );
  const holder = db
    .prepare<[string, string, string], string>(
      "SELECT stream FROM claims WHERE kind = ? AND scope = ? AND value = ?",
    )
    .pluck();
  const exact = db
    .prepare<[string, string, string, string, bigint], string>(
      `SELECT exact FROM fields
       WHERE kind = ? AND parent = ? AND name = ? AND folded = ? AND first = ?`,
    )
    .pluck();
  const message = db.prepare<[bigint, string]>(
    "SELECT 1 FROM messages WHERE position = ? AND field = ?",
  );
  const streamAt = db
    .prepare<[bigint, bigint], string>(
      `SELECT coalesce((SELECT stream FROM events WHERE position = ?),
         (SELECT stream FROM objects WHERE first = ?))`,
    )
    .pluck();
  return {
    object: (stream) => object.get(stream),
    holder: ({ kind, scope, value }) => holder.get(kind, scope, value),
    exact: ({ kind, parent, name, folded, first }) => exact.get(kind, parent, name, folded, first),
    isPending: ({ position, field }) => message.get(position, field) !== undefined,
    streamAt: (position) => streamAt.get(position, position) ?? undefined,
  };
}

/** All claims, each with where the object of the stream that holds it begins and ends. */
export function prepareClaims(
  db: Database.Database,
): Paged<[string, string, string], ClaimColumns & OfObject> {
  const from = (where: string) =>
    `SELECT claims.stream, claims.kind, scope, value, objects.first, objects.position
     FROM claims LEFT JOIN objects USING (stream) ${where} ORDER BY claims.kind, scope, value`;
  return {
    first: prepareRows(db, from("")),
    next: prepareRows(db, from("WHERE (claims.kind, scope, value) > (?, ?, ?)")),
    keyOf: ({ kind, scope, value }) => [kind, scope, value],
  };
}

/** All fields, each with where the object that it says it is of ends. */
export function prepareFields(
  db: Database.Database,
): Paged<[string, string, string, string, bigint], FieldColumns & OfObject> {
  const key = "fields.kind, fields.parent, name, folded, fields.first";
  const from = (where: string) =>
    `SELECT ${key}, exact, objects.position
     FROM fields LEFT JOIN objects USING (first) ${where} ORDER BY ${key}`;
  return {
    first: prepareRows(db, from("")),
    next: prepareRows(db, from(`WHERE (${key}) > (?, ?, ?, ?, ?)`)),
    keyOf: ({ kind, parent, name, folded, first }) => [kind, parent, name, folded, first],
  };
}

/** All messages. */
export function prepareMessages(db: Database.Database): Paged<[bigint, string], MessageColumns> {
  const from = (where: string) =>
    `SELECT events.stream, messages.position, field, messages.type, messages.owner,
       events.type AS askedType, events.owner AS askedOwner
     FROM messages LEFT JOIN events ON events.position = messages.position ${where}
     ORDER BY messages.position, field`;
  return {
    first: prepareRows(db, from("")),
    next: prepareRows(db, from("WHERE (messages.position, field) > (?, ?)")),
    keyOf: ({ position, field }) => [position, field],
  };
}
