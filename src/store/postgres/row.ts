import type { RecordedEvent } from "../../event.ts";
import type { SealedEvent } from "../chain/chain.ts";
import { forgedRow } from "../chain/forged.ts";
import { assertObject, type StateMac } from "../chain/state.ts";
import type { EventColumns } from "../row.ts";
import type { StoredObject } from "../store.ts";
import { fromStored } from "./text.ts";

// How rows of the tables become what the contract speaks of.

/** The columns of `events AS e`, as a query selects them. */
export const eventColumns =
  "e.position, e.stream, e.version, e.type, e.owner, e.actor, e.time, e.payload";

/** The event that a row of `events` holds. */
export function toEvent(columns: EventColumns): RecordedEvent {
  const { position, stream, version, type, owner, actor, time, payload } = columns;
  return {
    position,
    stream: fromStored(stream),
    version: Number(version),
    type: fromStored(type),
    owner: fromStored(owner),
    actor: fromStored(actor),
    timeMs: Number(time),
    payload: fromStored(payload),
  };
}

/** A row of `events` with what it is sealed with. */
export interface SealedColumns extends EventColumns {
  readonly salt: Uint8Array;
  readonly mac: Uint8Array;
  readonly link: Uint8Array;
}

/** The columns of `events AS e` with those that seal it, as a query selects them. */
export const sealedColumns = `${eventColumns}, e.salt, e.mac, e.link`;

/** The sealed event that a row of `events` holds. */
export function toSealed({ salt, mac, link, ...columns }: SealedColumns): SealedEvent {
  return { ...toEvent(columns), salt, mac, link };
}

/** Answers the event of a row. Throws Forged where it is not the one that was appended. */
export type ToEvent = (columns: SealedColumns) => RecordedEvent;

/** Makes the function that reads events, each of which is looked at. */
export function prepareEvents(look: (event: SealedEvent) => void): ToEvent {
  return (columns) => {
    const { salt, mac, link, ...event } = toSealed(columns);
    look({ ...event, salt, mac, link });
    return event;
  };
}

/** A row of `objects`, with what the log knows of its stream; nulls where there is no row. */
export interface ObjectColumns {
  readonly stream: string;
  readonly first: bigint | null;
  readonly version: bigint;
  readonly owner: string;
  readonly kind: string | null;
  readonly parent: string | null;
  readonly fields: string | null;
  readonly created: bigint;
  readonly changed: bigint;
  readonly position: bigint;
  readonly state: string | null;
  readonly mac: Uint8Array | null;
  /** The version of its last event; null where it has none. */
  readonly newest: bigint | null;
}

/** The columns of `objects AS o`, for a stream that is called so, as a query selects them. */
export const objectColumns = (stream: string) =>
  `${stream} AS stream, o.first, o.version, o.owner, o.kind, o.parent, o.fields, o.created,
   o.changed, o.position, o.state, o.mac,
   (SELECT max(e.version) FROM iam.events e WHERE e.stream = ${stream}) AS newest`;

/** Answers the object of a row. Throws Forged where that is not what was last written. */
export type ToObject = (columns: ObjectColumns) => StoredObject;

/** Makes the function that reads the objects which are sealed so. */
export function prepareObjects(macOf: StateMac): ToObject {
  return ({ first, created, changed, position, mac, newest, ...columns }) => {
    const stream = fromStored(columns.stream);
    const version = Number(newest ?? 0n);
    if (first === null) return absent(stream, version);
    const object = {
      stream,
      version: Number(columns.version),
      owner: fromStored(columns.owner),
      state: orNull(columns.state) ?? undefined,
      createdMs: Number(created),
      changedMs: Number(changed),
      position,
    };
    const listed = {
      first,
      kind: orNull(columns.kind),
      parent: orNull(columns.parent),
      fields: orNull(columns.fields),
    };
    assertObject(macOf, object, listed, { mac, version });
    return object;
  };
}

function absent(stream: string, version: number): StoredObject {
  if (version > 0) throw forgedRow(stream, `gone, and the log has version ${version}`);
  const times = { createdMs: 0, changedMs: 0 };
  return { stream, version, owner: "", state: undefined, ...times, position: 0n };
}

function orNull(text: string | null): string | null {
  return text === null ? null : fromStored(text);
}
