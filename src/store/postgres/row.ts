import type { RecordedEvent } from "../../event.ts";
import { isSame, type SealedEvent } from "../chain/chain.ts";
import type { RowMac } from "../chain/row-mac.ts";
import { ObjectForged } from "../chain/state.ts";
import type { StoredObject } from "../store.ts";
import { fromStored } from "./text.ts";

// How rows of the tables become what the contract speaks of.

/** A row of `events`. */
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

/** A row of `objects`. */
export interface ObjectColumns {
  readonly stream: string;
  readonly first: bigint;
  readonly version: bigint;
  readonly owner: string;
  readonly kind: string | null;
  readonly parent: string | null;
  readonly fields: string | null;
  readonly created: bigint;
  readonly changed: bigint;
  readonly position: bigint;
  readonly state: string | null;
  readonly mac: Uint8Array;
}

/** The columns of `objects AS o`, as a query selects them. */
export const objectColumns =
  "o.stream, o.first, o.version, o.owner, o.kind, o.parent, o.fields, o.created, o.changed, " +
  "o.position, o.state, o.mac";

/** Answers the object that a row of `objects` holds. Throws ObjectForged where it was changed. */
export type ToObject = (columns: ObjectColumns) => StoredObject;

/** Makes the function that reads the objects which are sealed so. */
export function prepareObjects(rowMac: RowMac): ToObject {
  return ({ created, changed, first, position, mac, ...columns }) => {
    const said = {
      stream: fromStored(columns.stream),
      version: Number(columns.version),
      owner: fromStored(columns.owner),
      changedMs: Number(changed),
    };
    const state = orNull(columns.state);
    const listed = {
      kind: orNull(columns.kind),
      parent: orNull(columns.parent),
      fields: orNull(columns.fields),
    };
    const createdMs = Number(created);
    const sealed = rowMac.at(rowMac.keyOf({ ...said, ...listed, state }), {
      first,
      position,
      createdMs,
    });
    if (!isSame(sealed, mac)) throw new ObjectForged(said.stream);
    return { ...said, state: state ?? undefined, createdMs, position };
  };
}

function orNull(text: string | null): string | null {
  return text === null ? null : fromStored(text);
}
