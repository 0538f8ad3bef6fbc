import type Database from "better-sqlite3";
import type { MaybeRow } from "../object-row.ts";
import { prepareRows } from "./row.ts";

const allButStream =
  "first, version, owner, kind, parent, fields, created, changed, position, state, mac";

/** The columns of `objects`, as a query selects them. */
export const objectColumns = `objects.stream, ${allButStream}`;

/** What the log knows of the stream of a row, as a column. */
const newest = (table: string) =>
  `(SELECT max(version) FROM events WHERE events.stream = ${table}.stream) AS newest`;

/** The columns of an `ObjectRow`, as a query selects them: as of one moment, while others write. */
export const newestColumns = `${objectColumns}, ${newest("objects")}`;

/** Makes the query for the row of a stream. */
export function prepareRow(db: Database.Database): (stream: string) => MaybeRow {
  const row = prepareRows<[string], MaybeRow>(
    db,
    `SELECT asked.stream, ${allButStream}, ${newest("asked")} FROM (SELECT ? AS stream) AS asked
     LEFT JOIN objects ON objects.stream = asked.stream`,
  );
  return (stream) => row.get(stream) ?? { stream, first: null, newest: null };
}
