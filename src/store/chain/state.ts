import type { StoredObject } from "../store.ts";
import { isSame, type LogIdentity } from "./chain.ts";
import { createHmac256 } from "./hash.ts";
import { netstring } from "./link.ts";
import { subkeyOf } from "./subkeys.ts";

/** Answers the MAC that is kept with an object, over its log and all that is read of it. */
export type StateMac = (object: StoredObject) => Uint8Array;

/** Makes the function that seals the objects of a log. */
export function createStateMac({ id, key }: LogIdentity): StateMac {
  const seal = createHmac256(subkeyOf(key, "iam state"));
  return ({ stream, version, owner, state, createdMs, changedMs, position }) => {
    const parts = [id, stream, `${version}`, owner, `${createdMs}`, `${changedMs}`, `${position}`];
    // Without a state there is a part less, which is not the same as an empty one.
    const said = state === undefined ? parts : [...parts, state];
    return seal(said.map(netstring).join(""));
  };
}

/** What a store reads is not what was written: nobody may be answered with it. */
export class ObjectForged extends Error {
  override readonly name = "ObjectForged";
  readonly stream: string;

  constructor(stream: string) {
    super(`the row of ${stream} is not what was written (its MAC): verify says more`);
    this.stream = stream;
  }
}

/** Throws ObjectForged where an object is not the one that was sealed. */
export function assertObject(macOf: StateMac, object: StoredObject, mac: Uint8Array | null): void {
  if (mac === null || !isSame(macOf(object), mac)) throw new ObjectForged(object.stream);
}
