import type Database from "better-sqlite3";
import type { ObjectRow } from "../../event.ts";
import { foldText } from "../../text/fold.ts";

/** The part of a row of `objects` that lists need, with its fields as JSON; null where removed. */
export interface ListedColumns {
  readonly kind: string | null;
  readonly parent: string | null;
  readonly fields: string | null;
}

/** The columns of `objects` for an object's row. */
export function toListed(row: ObjectRow | undefined): ListedColumns {
  if (row === undefined) return unlisted;
  return { kind: row.kind, parent: row.parent, fields: JSON.stringify(row.fields) };
}

/** The columns of `objects` for an object that lists do not see. */
export const unlisted: ListedColumns = { kind: null, parent: null, fields: null };

/**
 * Makes the function that brings the rows in `fields` of the object which began at a position from
 * what `objects` had of it to what it has now. Rows that stay are not touched.
 */
export function prepareFields(
  db: Database.Database,
): (first: bigint, before: ListedColumns, after: ListedColumns) => void {
  const remove = db.prepare(
    "DELETE FROM fields WHERE kind = ? AND parent = ? AND name = ? AND folded = ? AND first = ?",
  );
  const insert = db.prepare(
    "INSERT INTO fields (kind, parent, name, folded, first, exact) VALUES (?, ?, ?, ?, ?, ?)",
  );
  return (first, before, after) => {
    const isSame = before.kind === after.kind && before.parent === after.parent;
    if (isSame && before.fields === after.fields) return;
    const [old, now] = [fieldsOf(before), fieldsOf(after)];
    for (const [key, [kind, parent, name, exact]] of old) {
      if (!now.has(key)) remove.run(kind, parent, name, foldText(exact), first);
    }
    for (const [key, [kind, parent, name, exact]] of now) {
      if (!old.has(key)) insert.run(kind, parent, name, foldText(exact), first, exact);
    }
  };
}

type Field = readonly [kind: string, parent: string, name: string, exact: string];

/** Each field under a text of all that makes it what it is. */
function fieldsOf({ kind, parent, fields }: ListedColumns): ReadonlyMap<string, Field> {
  if (kind === null || parent === null || fields === null) return new Map();
  const texts: ObjectRow["fields"] = JSON.parse(fields);
  return new Map(
    Object.entries(texts).map(([name, exact]) => {
      const field: Field = [kind, parent, name, exact];
      return [JSON.stringify(field), field];
    }),
  );
}
