import { hashSync, verifySync as isArgon2Of } from "@node-rs/argon2";
import { verifySync as isBcryptOf } from "@node-rs/bcrypt";
import { type Argon2, ownArgon2 } from "./argon2.ts";
import type { Bcrypt } from "./bcrypt.ts";

// What native code derives. All of it is synchronous, for tens of milliseconds and with high costs
// for seconds: for a hashing thread only, and no other loads the libraries.

/** A hash as this service makes it, Argon2id of version 19. */
export function hashArgon2(password: Uint8Array, salt: Uint8Array): string {
  return hashSync(password, { ...ownArgon2, salt });
}

/** Whether the hash is one of the password. */
export function verifyArgon2({ encoded }: Argon2, password: Uint8Array): boolean {
  return isArgon2Of(encoded, password);
}

/**
 * bcrypt looks at the first 72 bytes of a password and no further, here as everywhere: a hash that
 * was made elsewhere verifies with the same passwords here.
 */
export function verifyBcrypt({ encoded }: Bcrypt, password: Uint8Array): boolean {
  return isBcryptOf(password, encoded);
}
