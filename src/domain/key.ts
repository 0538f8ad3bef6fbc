import { type Refusal, reject } from "./decision.ts";
import type { Ending } from "./ending.ts";

/** The public part of an RSA key, as a JWK has it (RFC 7517): numbers in base64url. */
export interface PublicKey {
  readonly kty: "RSA";
  readonly n: string;
  readonly e: string;
}

/** A key by which a program proves itself, and when it ends. */
export interface Key extends Ending {
  readonly publicKey: PublicKey;
}

/** A key that is about to be given to a program, under its id. */
export interface NewKey extends Key {
  readonly keyId: string;
}

/** A key as its program has it, and when it was added (Unix milliseconds). */
export interface HeldKey extends Key {
  readonly addedMs: number;
}

/** The keys of a program by their ids. */
export interface Keys<Held = HeldKey> {
  readonly [keyId: string]: Held;
}

/** The most keys of one application or machine, those that have ended among them. */
export const keysMax = 20;

/** The refusal of one more key, whatever key it is. */
export function refuseFull(keys: Keys = {}, holder: "application" | "user"): Refusal | undefined {
  if (Object.keys(keys).length < keysMax) return undefined;
  return reject("LIMIT_REACHED", `The ${holder} has ${keysMax} keys: remove one first.`);
}

/** The key with this id; undefined where there is none. */
export function findKey<Held>(keys: Keys<Held> = {}, keyId: string): Held | undefined {
  return Object.hasOwn(keys, keyId) ? keys[keyId] : undefined;
}

/** The others. */
export function withoutKey<Held>(keys: Keys<Held> = {}, keyId: string): Keys<Held> {
  const { [keyId]: _removed, ...others } = keys;
  return others;
}
