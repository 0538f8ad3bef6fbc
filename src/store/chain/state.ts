import type { StoredObject } from "../store.ts";
import { isSame, type LogIdentity } from "./chain.ts";
import { forgedRow } from "./forged.ts";
import { createHmac256 } from "./hash.ts";
import { netstring } from "./link.ts";
import { subkeyOf } from "./subkeys.ts";

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

/** Answers the MAC that is kept with the row of an object, over its log and all of the row. */
export type StateMac = (object: StoredObject, listed: Listed) => Uint8Array;

/** Makes the function that seals the objects of a log. */
export function createStateMac({ id, key }: LogIdentity): StateMac {
  const seal = createHmac256(subkeyOf(key, "iam object"));
  return (
    { stream, version, owner, state, createdMs, changedMs, position },
    { first, kind, parent, fields },
  ) => {
    const numbers = [version, first, position, createdMs, changedMs];
    const texts = [kind, parent, fields, state];
    return seal(
      [id, stream, owner, ...numbers.map(String)].map(netstring).join("") +
        texts.map(netstringOrNone).join(""),
    );
  };
}

/** What is not there is no empty text. */
function netstringOrNone(text: string | null | undefined): string {
  return text === null || text === undefined ? "-," : netstring(text);
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
