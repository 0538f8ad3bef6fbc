import type { RecordedEvent } from "../../event.ts";
import type { SealedEvent } from "../chain/chain.ts";
import type { EventColumns } from "../row.ts";
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

/** The columns of a `MaybeRow` of `objects AS o`, for a stream that is called so. */
export const objectColumns = (stream: string) =>
  `${stream} AS stream, o.first, o.version, o.owner, o.kind, o.parent, o.fields, o.created,
   o.changed, o.position, o.state, o.mac,
   (SELECT max(e.version) FROM iam.events e WHERE e.stream = ${stream}) AS newest`;
