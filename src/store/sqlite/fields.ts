import type Database from "better-sqlite3";
import type { ObjectRow } from "../../event.ts";
import { foldText } from "../../text/fold.ts";
import type { ListedColumns } from "../chain/state.ts";

/** Brings the rows of the object that began at a position from what lists saw to what they see. */
export type WriteFields = (first: bigint, before: ListedColumns, after: ListedColumns) => void;

/** Makes the function that does so. Rows that stay are not touched. */
export function prepareFields(db: Database.Database): WriteFields {
  const remove = db.prepare(
    "DELETE FROM fields WHERE kind = ? AND parent = ? AND name = ? AND folded = ? AND first = ?",
  );
  const insert = db.prepare(
    `INSERT INTO fields (kind, parent, name, folded, first, exact) VALUES (?, ?, ?, ?, ?, ?)`,
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
