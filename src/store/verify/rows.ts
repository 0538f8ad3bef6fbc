import type { Claim } from "../../event.ts";
import type { Listed } from "../chain/state.ts";
import type { MessageKey } from "../message.ts";
import type { StoredObject } from "../store.ts";

// The rows of the derived tables as they are compared.

/** A row of `objects`. */
export interface ObjectColumns extends Listed {
  readonly stream: string;
  readonly version: bigint;
  readonly owner: string;
  readonly created: bigint;
  readonly changed: bigint;
  readonly position: bigint;
  readonly state: string | null;
  readonly mac: Uint8Array | null;
}

/** The object of a row, whoever has written it. */
export function toObject(columns: ObjectColumns): StoredObject {
  const { stream, version, owner, created, changed, position, state } = columns;
  return {
    stream,
    version: Number(version),
    owner,
    state: state ?? undefined,
    createdMs: Number(created),
    changedMs: Number(changed),
    position,
  };
}

/** A row of `objects`, and whether its stream has an event. */
export interface ObjectRow extends ObjectColumns {
  readonly hasEvents: boolean;
}

/** Where the object of a row begins and ends, as far as there is one. */
export interface OfObject {
  readonly first: bigint | null;
  readonly position: bigint | null;
}

/** A row of `claims`, with the stream that holds it. */
export interface ClaimRow extends OfObject, Claim {
  readonly stream: string;
  /** By what who looks for the claim finds this row, where that is not what it says itself. */
  readonly digest?: Uint8Array;
}

/** A row of `fields`. */
export interface FieldColumns {
  readonly kind: string;
  readonly parent: string;
  readonly name: string;
  readonly folded: string;
  readonly first: bigint;
  readonly exact: string;
}

/** The same, with where the object that it says it is of ends. */
export interface FieldRow extends FieldColumns {
  readonly position: bigint | null;
}

/** What a row of `messages` says, with the stream that has an event at `position`. */
export interface MessageRow extends MessageKey {
  readonly stream: string | null;
  readonly type: string;
  readonly owner: string;
  /** What the event says, where there is one. */
  readonly askedType: string | null;
  readonly askedOwner: string | null;
}

/** How many objects lists see of a kind under a parent, and what `counts` says of that. */
export interface CountRow {
  readonly kind: string;
  readonly parent: string;
  readonly objects: bigint;
  /** Null where there is no row. */
  readonly counted: bigint | null;
}

/** Whose messages wait in one line. */
export interface LineColumns {
  readonly type: string;
  readonly owner: string;
}

/** One text for where a row of `fields` is found. */
export function fieldPlace({ kind, parent, name, folded, first }: FieldColumns): string {
  return JSON.stringify([kind, parent, name, folded, String(first)]);
}

/** One text for a row of `fields`. */
export function fieldKey(field: FieldColumns): string {
  return JSON.stringify([fieldPlace(field), field.exact]);
}

/** One text for a message. */
export function messageKey({ position, field }: MessageKey): string {
  return `${position} ${field}`;
}
