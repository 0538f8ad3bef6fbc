import type Database from "better-sqlite3";
import { type ObjectColumns, objectColumns } from "../object-row.ts";
import { prepareRows } from "../row.ts";

// The rows of the derived tables as they are compared.

/** A row of `claims`. */
export interface ClaimColumns {
  readonly stream: string;
  readonly kind: string;
  readonly scope: string;
  readonly value: string;
}

/** A row of `fields` with the stream that has an event at `first`, or an object from there. */
export interface FieldColumns {
  readonly stream: string | null;
  readonly kind: string;
  readonly parent: string;
  readonly name: string;
  readonly folded: string;
  readonly first: bigint;
  readonly exact: string;
}

/** The key of a row of `messages` with the stream that has an event at `position`. */
export interface MessageColumns {
  readonly stream: string | null;
  readonly position: bigint;
  readonly field: string;
}

/** The rows of a table, to be taken one stream after the other. */
export interface Groups<Columns> {
  /**
   * The rows of the stream, which must be the next one that has any; where rows are looked up, of
   * those that are expected.
   */
  take(stream: string | null, expected: readonly Columns[]): readonly Columns[];
  /** How many were taken so far. */
  count(): number;
  close(): void;
}

export interface DerivedRows {
  /** Every stream that the log, an object or a claim names, in the order of the groups. */
  streams(): IterableIterator<string>;
  object(stream: string): ObjectColumns | undefined;
  /** The stream that holds a claim. */
  holder(kind: string, scope: string, value: string): string | undefined;
  readonly claims: Groups<ClaimColumns>;
  readonly fields: Groups<FieldColumns>;
  readonly messages: Groups<MessageColumns>;
}

/**
 * How the rows of `fields` are found: all of them, sorted by their streams, or those alone that are
 * expected, which takes a fraction of the time but shows none that nothing explains.
 */
export type FieldsBy = "sorting" | "looking up";

/**
 * Prepares everything that is read besides events: a connection cannot prepare a statement while it
 * iterates over another. SQLite sorts what no index has in the order of streams, past its cache in
 * a temporary file.
 */
export function prepareDerived(db: Database.Database, by: FieldsBy): DerivedRows {
  const streams = db
    .prepare<[], string>(
      `SELECT stream FROM events UNION SELECT stream FROM objects UNION SELECT stream FROM claims
       ORDER BY stream`,
    )
    .pluck();
  const object = prepareRows<[string], ObjectColumns>(
    db,
    `SELECT ${objectColumns} FROM objects WHERE stream = ?`,
  );
  const holder = db
    .prepare<[string, string, string], string>(
      "SELECT stream FROM claims WHERE kind = ? AND scope = ? AND value = ?",
    )
    .pluck();
  const claims = prepareRows<[], ClaimColumns>(
    db,
    "SELECT stream, kind, scope, value FROM claims ORDER BY stream, kind, scope, value",
  );
  const messages = prepareRows<[], MessageColumns>(
    db,
    `SELECT stream, messages.position, field
     FROM messages LEFT JOIN events ON events.position = messages.position
     ORDER BY stream, messages.position, field`,
  );
  return {
    streams: () => streams.iterate(),
    object: (stream) => object.get(stream),
    holder: (kind, scope, value) => holder.get(kind, scope, value),
    claims: groupsOf(claims),
    fields: by === "sorting" ? sortedFields(db) : lookedUpFields(db),
    messages: groupsOf(messages),
  };
}

function sortedFields(db: Database.Database): Groups<FieldColumns> {
  const fields = prepareRows<[], FieldColumns>(
    db,
    `SELECT coalesce(events.stream, objects.stream) AS stream, fields.kind, fields.parent, name,
       folded, first, exact
     FROM fields LEFT JOIN events ON events.position = first LEFT JOIN objects USING (first)
     ORDER BY 1, name, folded`,
  );
  return groupsOf(fields);
}

function lookedUpFields(db: Database.Database): Groups<FieldColumns> {
  const exactOf = db
    .prepare<[string, string, string, string, bigint], string>(
      `SELECT exact FROM fields
       WHERE kind = ? AND parent = ? AND name = ? AND folded = ? AND first = ?`,
    )
    .pluck();
  let count = 0;
  return {
    take: (_, expected) => {
      const found = expected.filter(
        ({ kind, parent, name, folded, first, exact }) =>
          exactOf.get(kind, parent, name, folded, first) === exact,
      );
      count += found.length;
      return found;
    },
    count: () => count,
    close: () => {},
  };
}

/** How many rows there are in `fields`. */
export function countFields(db: Database.Database): number {
  return db.prepare<[], number>("SELECT count(*) FROM fields").pluck().get() ?? 0;
}

function groupsOf<Columns extends { readonly stream: string | null }>(
  statement: Database.Statement<[], Columns>,
): Groups<Columns> {
  let rows: IterableIterator<Columns> | undefined;
  let next: IteratorResult<Columns> | undefined;
  let count = 0;
  return {
    take: (stream) => {
      rows ??= statement.iterate();
      next ??= rows.next();
      const group: Columns[] = [];
      while (!next.done && next.value.stream === stream) {
        group.push(next.value);
        next = rows.next();
      }
      count += group.length;
      return group;
    },
    count: () => count,
    close: () => void rows?.return?.(),
  };
}
