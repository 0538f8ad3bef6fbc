import type { Claim } from "../../event.ts";
import type { Listed } from "../chain/state.ts";
import { claimKey } from "../claim-key.ts";
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

/** The object of a row, forged or not. */
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

/** A row of `objects`, with what the log knows of its stream. */
export interface ObjectRow extends ObjectColumns {
  /** The version of its last event; null where it has none. */
  readonly newest: bigint | null;
}

/** A row of a claim, with the stream that holds it. */
export interface ClaimRow extends Claim {
  readonly stream: string | null;
}

/** A row of a field. */
export interface FieldColumns {
  readonly kind: string;
  readonly parent: string;
  readonly name: string;
  readonly folded: string;
  readonly first: bigint;
}

/** The same, with the stream that begins at `first`, by its event or else by its object. */
export interface FieldRow extends FieldColumns {
  readonly stream: string | null;
}

/** What a row of `messages` says, besides when it is due. */
export interface MessageColumns extends MessageKey {
  readonly type: string;
  readonly owner: string;
}

/** The same, with the stream that has an event at `position`. */
export interface MessageRow extends MessageColumns {
  readonly stream: string | null;
  /** What the event says, where there is one. */
  readonly askedType: string | null;
  readonly askedOwner: string | null;
}

/** How many events there are from position 1 on, and the highest position; 0 for none. */
export interface LogSize {
  readonly events: bigint;
  readonly end: bigint;
}

/** That of a log without events. */
export const emptySize: LogSize = { events: 0n, end: 0n };

/** How many objects lists see of a kind under a parent, and what `counts` says of that. */
export interface CountRow {
  readonly kind: string;
  readonly parent: string;
  readonly objects: bigint;
  /** Null where there is no row. */
  readonly counted: bigint | null;
}

/** The hash by which bytes are kept that an event names, and the one that they have. */
export interface AttachmentRow {
  readonly digest: Uint8Array;
  readonly found: Uint8Array;
}

/** The rows that are read page by page. */
export interface PagedRows {
  readonly objects: ObjectRow;
  readonly claims: ClaimRow;
  readonly fields: FieldRow;
  readonly messages: MessageRow;
  /** How many objects lists see under each parent, with what `counts` says. */
  readonly groups: CountRow;
  /** What `counts` says of groups, with how many objects there are: 0, or any other number. */
  readonly counts: CountRow;
  readonly attachments: AttachmentRow;
}

/** Whose messages wait in one line. */
export interface LineColumns {
  readonly type: string;
  readonly owner: string;
}

/** The rows that streams should have, besides their objects. */
export interface StreamRows {
  readonly claims: readonly Claim[];
  readonly fields: readonly FieldColumns[];
  readonly messages: readonly MessageKey[];
}

/** What there is by key: the stream that holds a claim, and nothing more of the others. */
export type Held = ReadonlyMap<string, string>;

/** The keys of rows: no claim has that of a field, and neither that of a message. */
export function keysOf({ claims, fields, messages }: StreamRows): readonly string[] {
  return [...claims.map(claimKey), ...fields.map(fieldKey), ...messages.map(messageKey)];
}

/** One text for where a row of `fields` is found. */
export function fieldKey({ kind, parent, name, folded, first }: FieldColumns): string {
  return JSON.stringify([kind, parent, name, folded, String(first)]);
}

/** One text for a message. */
export function messageKey({ position, field }: MessageKey): string {
  return `${position} ${field}`;
}

// One text for all that a row says: the lengths of its parts keep them apart.

/** That of a claim. */
export function claimText({ kind, scope, value }: Claim): string {
  return textOf("claim", kind, scope, value);
}

/** That of a field. */
export function fieldText({ kind, parent, name, folded, first }: FieldColumns): string {
  return textOf("field", kind, parent, name, folded, `${first}`);
}

/** That of a message. */
export function messageText({ position, field, type, owner }: MessageColumns): string {
  return textOf("message", `${position}`, field, type, owner);
}

function textOf(...values: readonly string[]): string {
  let [lengths, texts] = ["", ""];
  for (const part of values) {
    lengths += `${part.length} `;
    texts += part;
  }
  return lengths + texts;
}
