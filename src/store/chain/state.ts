import type { ObjectRow } from "../../event.ts";
import type { ListQuery } from "../query.ts";
import type { StoredObject } from "../store.ts";
import { isSame, type LogIdentity } from "./chain.ts";
import { forgedRow } from "./forged.ts";
import { createRowMac } from "./row-mac.ts";

/** The part of an object's row that lists go by. */
export interface Listed {
  /** The position of the stream's first event. */
  readonly first: bigint;
  /** Of an object that was removed these are null. */
  readonly kind: string | null;
  readonly parent: string | null;
  /** JSON. */
  readonly fields: string | null;
}

/** The same of an object, wherever it begins. */
export type ListedColumns = Omit<Listed, "first">;

/** What lists go by of an object's row. */
export function toListed(row: ObjectRow | undefined): ListedColumns {
  if (row === undefined) return unlisted;
  return { kind: row.kind, parent: row.parent, fields: jsonOf(row.fields) };
}

/** What made columns what they are; undefined of an object that lists do not see. */
export function rowOf({ kind, parent, fields }: ListedColumns): ObjectRow | undefined {
  if (kind === null || parent === null || fields === null) return undefined;
  return { kind, parent, fields: JSON.parse(fields) };
}

/** The fields as JSON, where half a surrogate pair is U+FFFD: so databases keep it elsewhere. */
function jsonOf(fields: ObjectRow["fields"]): string {
  const json = JSON.stringify(fields);
  if (!json.includes("\\ud")) return json;
  return JSON.stringify(fields, (_, value) =>
    typeof value === "string" ? value.toWellFormed() : value,
  );
}

/** The same of an object that lists do not see. */
export const unlisted: ListedColumns = { kind: null, parent: null, fields: null };

/** Answers the MAC that is kept with the row of an object, over its log and all of the row. */
export type StateMac = (object: StoredObject, listed: Listed) => Uint8Array;

/** Makes the function that seals the objects of a log. */
export function createStateMac(identity: LogIdentity): StateMac {
  const rowMac = createRowMac(identity);
  return (object, { first, kind, parent, fields }) => {
    const { stream, version, owner, createdMs, changedMs, position, state = null } = object;
    const key = rowMac.keyOf({ stream, version, owner, changedMs, state, kind, parent, fields });
    return rowMac.at(key, { first, position, createdMs });
  };
}

/** Whether an object is one that was sealed, be it the newest of its stream or not. */
export function isSealedObject(
  macOf: StateMac,
  object: StoredObject,
  listed: Listed,
  mac: Uint8Array | null,
): boolean {
  return mac !== null && isSame(macOf(object, listed), mac);
}

/** Throws Forged where what an object was listed by is not what its row says. */
export function assertAskedFor(
  { kind, parents }: Pick<ListQuery, "kind" | "parents">,
  found: Omit<Listed, "first" | "fields"> & Pick<StoredObject, "stream">,
): void {
  const isUnder = parents === undefined || parents.some((parent) => parent === found.parent);
  if (found.kind === kind && isUnder) return;
  throw forgedRow(found.stream, "of another kind, or under another parent, than it was listed by");
}

/** What a store keeps with the row of an object, and what the log knows of its stream. */
export interface Kept {
  readonly mac: Uint8Array | null;
  /** Of the stream's last event in the log. */
  readonly version: number;
}

/** Throws Forged where an object is not one that was sealed, or not the newest of its stream. */
export function assertObject(
  macOf: StateMac,
  object: StoredObject,
  listed: Listed,
  { mac, version }: Kept,
): void {
  const { stream } = object;
  if (!isSealedObject(macOf, object, listed, mac)) {
    throw forgedRow(stream, "not what was written (its MAC)");
  }
  if (object.version === version) return;
  throw forgedRow(stream, `of version ${object.version}, and the log has version ${version}`);
}
