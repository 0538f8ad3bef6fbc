import type Database from "better-sqlite3";
import type { RecordedEvent } from "../../event.ts";
import type { Check, SealedEvent } from "../chain/chain.ts";
import { forgedEvent } from "../chain/forged.ts";
import type { EventColumns } from "../row.ts";

// How rows of `events` become what the contract speaks of.

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

/** The columns of `events`, as a query selects them. */
export const eventColumns =
  "events.position, events.stream, events.version, events.type, events.owner, events.actor, " +
  "events.time, events.payload";

/** The event that a row of `events` holds. */
export function toEvent(columns: EventColumns): RecordedEvent {
  const { position, stream, version, type, owner, actor, time, payload } = columns;
  const timeMs = Number(time);
  return { position, stream, version: Number(version), type, owner, actor, timeMs, payload };
}

/** A row of `events` with what it is sealed with. */
export interface SealedColumns extends EventColumns {
  /** In hexadecimal: SQLite gives texts in half the time that bytes take. */
  readonly salt: string;
  readonly mac: string;
  readonly link: string;
}

/** The columns of `events` with those that seal it, as a query selects them. */
export const sealedColumns = `${eventColumns},
  hex(events.salt) AS salt, hex(events.mac) AS mac, hex(events.link) AS link`;

/** The sealed event that a row of `events` holds. */
export function toSealed(columns: SealedColumns): SealedEvent {
  const { salt, mac, link } = columns;
  return { ...toEvent(columns), salt: bytesOf(salt), mac: bytesOf(mac), link: bytesOf(link) };
}

/** The bytes of a text in hexadecimal. */
export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, "hex");
}

/** Answers the event of a row. Throws Forged where it is not the one that was appended. */
export type ToEvent = (columns: SealedColumns) => RecordedEvent;

/** Makes the function that reads the events which are sealed so; of their links it says nothing. */
export function prepareEvents(check: Check): ToEvent {
  return (columns) => {
    const event = toEvent(columns);
    if (check(toSealed(columns), undefined).length > 0) throw forgedEvent(event);
    return event;
  };
}
