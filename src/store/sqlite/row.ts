import type Database from "better-sqlite3";
import type { LinkedEvent, RecordedEvent } from "../../event.ts";
import type { SealedEvent } from "../chain/chain.ts";
import { assertObject, type StateMac } from "../chain/state.ts";
import type { StoredObject } from "../store.ts";

// How rows of the tables become what the contract speaks of.

/** A query whose integers arrive as bigint, so that a position is exact whatever its size. */
export function prepareRows<Parameters extends unknown[], Columns>(
  db: Database.Database,
  sql: string,
): Database.Statement<Parameters, Columns> {
  return db.prepare<Parameters, Columns>(sql).safeIntegers();
}

/**
 * The rows with these ids, in this order, until their texts would pass so many bytes; the first in
 * any case. No row is read behind the one that finds no room.
 */
export function readWithin<Columns>(
  row: Database.Statement<[bigint], Columns>,
  ids: readonly bigint[],
  textOf: (columns: Columns) => string | null,
  bytesMax: number,
): readonly Columns[] {
  const read: Columns[] = [];
  let bytes = 0;
  for (const id of ids) {
    for (const columns of row.all(id)) {
      bytes += Buffer.byteLength(textOf(columns) ?? "");
      if (bytes > bytesMax && read.length > 0) return read;
      read.push(columns);
    }
  }
  return read;
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

/** The columns of `events`, as a query selects them. */
export const eventColumns =
  "events.position, events.stream, events.version, events.type, events.owner, events.actor, " +
  "events.time, events.payload";

/** The event that a row of `events` holds. */
export function toEvent({ time, version, ...columns }: EventColumns): RecordedEvent {
  return { ...columns, version: Number(version), timeMs: Number(time) };
}

/** A row of `events` with its link. */
export interface LinkedColumns extends EventColumns {
  readonly link: Uint8Array;
}

/** The columns of `events` with the link, as a query selects them. */
export const linkedColumns = `${eventColumns}, events.link`;

/** The event that a row of `events` holds, with its link. */
export function toLinked({ link, ...columns }: LinkedColumns): LinkedEvent {
  return { ...toEvent(columns), link };
}

/** A row of `events` with what it is sealed with. */
export interface SealedColumns extends EventColumns {
  readonly salt: Uint8Array;
  readonly mac: Uint8Array;
  readonly link: Uint8Array;
}

/** The columns of `events` with those that seal it, as a query selects them. */
export const sealedColumns = `${eventColumns}, events.salt, events.mac, events.link`;

/** The sealed event that a row of `events` holds. */
export function toSealed({ salt, mac, link, ...columns }: SealedColumns): SealedEvent {
  return { ...toEvent(columns), salt, mac, link };
}

/** A row of `objects`, without what lists alone need, as it is read with safe integers. */
export interface ObjectColumns {
  readonly stream: string;
  readonly version: bigint;
  readonly owner: string;
  readonly created: bigint;
  readonly changed: bigint;
  readonly position: bigint;
  readonly state: string | null;
  readonly mac: Uint8Array | null;
}

/** The columns of `objects`, as a query selects them. */
export const objectColumns = "stream, version, owner, created, changed, position, state, mac";

/** Answers the object that a row of `objects` holds. Throws ObjectForged where it was changed. */
export type ToObject = (columns: ObjectColumns) => StoredObject;

/** Makes the function that reads the objects which are sealed so. */
export function prepareObjects(macOf: StateMac): ToObject {
  return (columns) => {
    const object = toObject(columns);
    assertObject(macOf, object, columns.mac);
    return object;
  };
}

/** The object of a row, whoever has written it. */
export function toObject({
  created,
  changed,
  version,
  state,
  mac: _,
  ...columns
}: ObjectColumns): StoredObject {
  return {
    ...columns,
    version: Number(version),
    state: state ?? undefined,
    createdMs: Number(created),
    changedMs: Number(changed),
  };
}
