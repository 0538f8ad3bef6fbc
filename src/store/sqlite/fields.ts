import type Database from "better-sqlite3";
import type { ObjectRow } from "../../event.ts";
import { foldText } from "../../text/fold.ts";
import type { ListedColumns } from "../chain/state.ts";

/** Brings the rows of the object that began at a position from what lists saw to what they see. */
export type WriteFields = (first: bigint, before: ListedColumns, after: ListedColumns) => void;

/**
 * Makes the function that does so in `fields`, or in a table like it. Rows that stay are not
 * touched.
 */
export function prepareFields(db: Database.Database, table = "fields"): WriteFields {
  const remove = db.prepare(
    `DELETE FROM ${table} WHERE kind = ? AND parent = ? AND name = ? AND folded = ? AND first = ?`,
  );
  const insert = db.prepare(
    `INSERT INTO ${table} (kind, parent, name, folded, first, exact) VALUES (?, ?, ?, ?, ?, ?)`,
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

/**
 * Has the work write the rows of `fields` aside, and puts them there in the order of the table when
 * it is done: one by one, in the order of objects, each would be another page to write.
 */
export function inOrder(db: Database.Database, work: (fields: WriteFields) => void): void {
  db.exec("CREATE TEMP TABLE unsorted_fields AS SELECT * FROM fields WHERE FALSE");
  work(prepareFields(db, "temp.unsorted_fields"));
  db.exec(`
    INSERT INTO fields
      SELECT * FROM temp.unsorted_fields ORDER BY kind, parent, name, folded, first;
    DROP TABLE temp.unsorted_fields;
  `);
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
