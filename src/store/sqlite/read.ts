import type Database from "better-sqlite3";
import type { Claim, RecordedEvent } from "../../event.ts";
import type { ListQuery, ObjectPage, StoredObject } from "../store.ts";

/** The reading half of `Store`, answered at once or failed with what SQLite said. */
export interface Reads {
  load(streams: readonly string[]): readonly StoredObject[];
  find(claim: Claim): string | undefined;
  list(query: ListQuery): ObjectPage;
  readStream(stream: string, after: number, limit: number): readonly RecordedEvent[];
  readAll(after: bigint, limit: number): readonly RecordedEvent[];
}

/** Prepares the statements once for the life of the connection. */
export function prepareReads(db: Database.Database): Reads {
  const object = prepareRows<[string], ObjectColumns>(
    db,
    `SELECT ${objectColumns} FROM objects WHERE stream = ?`,
  );
  const claim = db
    .prepare<[string, string, string], string>(
      "SELECT stream FROM claims WHERE kind = ? AND scope = ? AND value = ?",
    )
    .pluck();
  const streamEvents = prepareRows<[string, number, number], EventColumns>(
    db,
    "SELECT * FROM events WHERE stream = ? AND version > ? ORDER BY version LIMIT ?",
  );
  const allEvents = prepareRows<[bigint, number], EventColumns>(
    db,
    "SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ?",
  );
  return {
    load: (streams) =>
      streams.map((stream) => {
        const columns = object.get(stream);
        return columns === undefined ? absent(stream) : toObject(columns);
      }),
    find: ({ kind, scope, value }) => claim.get(kind, scope, value),
    list: prepareList(db),
    readStream: (stream, after, limit) => streamEvents.all(stream, after, limit).map(toEvent),
    readAll: (after, limit) => allEvents.all(after, limit).map(toEvent),
  };
}

/** A row of `events` as it is read with safe integers. */
export interface EventColumns {
  readonly position: bigint;
  readonly stream: string;
  readonly version: bigint;
  readonly type: string;
  readonly owner: string;
  readonly actor: string;
  readonly time: bigint;
  readonly payload: string;
}

/** A query whose integers arrive as bigint, so that a position is exact whatever its size. */
export function prepareRows<Parameters extends unknown[], Columns>(
  db: Database.Database,
  sql: string,
): Database.Statement<Parameters, Columns> {
  return db.prepare<Parameters, Columns>(sql).safeIntegers();
}

/** The event that a row of `events` holds. */
export function toEvent({ time, version, ...columns }: EventColumns): RecordedEvent {
  return { ...columns, version: Number(version), timeMs: Number(time) };
}

interface ObjectColumns {
  readonly stream: string;
  readonly version: bigint;
  readonly owner: string;
  readonly created: bigint;
  readonly changed: bigint;
  readonly position: bigint;
  readonly state: string | null;
}

const objectColumns = "stream, version, owner, created, changed, position, state";

function toObject({ created, changed, version, state, ...columns }: ObjectColumns): StoredObject {
  return {
    ...columns,
    version: Number(version),
    state: state ?? undefined,
    createdMs: Number(created),
    changedMs: Number(changed),
  };
}

function absent(stream: string): StoredObject {
  const times = { createdMs: 0, changedMs: 0 };
  return { stream, version: 0, owner: "", state: undefined, ...times, position: 0n };
}

/** One pair of statements for each set of filters, each with an index of its own. */
function prepareList(db: Database.Database): (query: ListQuery) => ObjectPage {
  const prepare = (filter: string) => ({
    total: db
      .prepare<ListQuery, number>(`SELECT count(*) FROM objects WHERE kind = @kind ${filter}`)
      .pluck(),
    page: prepareRows<[ListQuery], ObjectColumns>(
      db,
      `SELECT ${objectColumns} FROM objects WHERE kind = @kind ${filter}
       ORDER BY first LIMIT @limit OFFSET @offset`,
    ),
  });
  const ofKind = prepare("");
  const ofOwner = prepare("AND owner = @owner");
  const ofParent = prepare("AND parent = @parent");
  const ofBoth = prepare("AND owner = @owner AND parent = @parent");
  const choose = ({ owner, parent }: ListQuery) => {
    if (owner === undefined) return parent === undefined ? ofKind : ofParent;
    return parent === undefined ? ofOwner : ofBoth;
  };
  // In a transaction both statements see the same moment, whatever other processes commit.
  return db.transaction((query: ListQuery) => {
    const { total, page } = choose(query);
    return { total: total.get(query) ?? 0, objects: page.all(query).map(toObject) };
  });
}
