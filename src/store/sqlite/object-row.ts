import type Database from "better-sqlite3";
import { forgedRow } from "../chain/forged.ts";
import { assertObject, type StateMac } from "../chain/state.ts";
import type { StoredObject } from "../store.ts";
import { type ObjectRow, toObject } from "../verify/rows.ts";
import { prepareRows } from "./row.ts";
import { preparePerCount } from "./sql.ts";

const allButStream =
  "first, version, owner, kind, parent, fields, created, changed, position, state, mac";

/** The columns of `objects`, as a query selects them. */
export const objectColumns = `objects.stream, ${allButStream}`;

/** What the log knows of a stream. */
type Logged = Pick<ObjectRow, "stream" | "newest">;

/** The column of it, for the stream of a row. */
const newest = (table: string) =>
  `(SELECT max(version) FROM events WHERE events.stream = ${table}.stream) AS newest`;

/** The columns of an `ObjectRow`, as a query selects them: as of one moment, while others write. */
export const newestColumns = `${objectColumns}, ${newest("objects")}`;

/** The same of a stream that has no row. */
type NoColumns = Logged & { readonly first: null };

/** Makes the query for the row of a stream. */
export function prepareRow(db: Database.Database): (stream: string) => ObjectRow | NoColumns {
  const row = prepareRows<[string], ObjectRow | NoColumns>(
    db,
    `SELECT asked.stream, ${allButStream}, ${newest("asked")} FROM (SELECT ? AS stream) AS asked
     LEFT JOIN objects ON objects.stream = asked.stream`,
  );
  return (stream) => row.get(stream) ?? { stream, first: null, newest: null };
}

/** Makes the query for the versions of streams' last events, in the order of the streams. */
export function prepareVersions(
  db: Database.Database,
): (streams: readonly string[]) => readonly number[] {
  const versions = preparePerCount<number>(
    db,
    (values) => `SELECT coalesce((SELECT max(version) FROM events WHERE stream = a.column2), 0)
      FROM (VALUES ${values}) AS a ORDER BY a.column1`,
    2,
  );
  return (streams) => versions.all(streams.map((stream, i) => [i, stream]));
}

/** The version of the last event of a stream; 0 where it has none. */
export function versionIn(logged: Pick<Logged, "newest"> | undefined): number {
  return Number(logged?.newest ?? 0);
}

/** Answers the object of a stream. Throws Forged where its row is not what was last written. */
export type ToObject = (columns: ObjectRow | NoColumns) => StoredObject;

/** Makes the function that reads the objects which are sealed so. */
export function prepareObjects(macOf: StateMac): ToObject {
  return (columns) => {
    const version = versionIn(columns);
    if (columns.first === null) return absent(columns.stream, version);
    const object = toObject(columns);
    assertObject(macOf, object, columns, { mac: columns.mac, version });
    return object;
  };
}

function absent(stream: string, version: number): StoredObject {
  if (version > 0) throw forgedRow(stream, `gone, and the log has version ${version}`);
  const times = { createdMs: 0, changedMs: 0 };
  return { stream, version, owner: "", state: undefined, ...times, position: 0n };
}
