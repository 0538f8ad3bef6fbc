import { hashSync, verifySync as isArgon2Of } from "@node-rs/argon2";
import { verifySync as isBcryptOf } from "@node-rs/bcrypt";
import { isSame } from "../same.ts";
import { ownArgon2 } from "./argon2.ts";
import type { ParsedHash } from "./encoded.ts";
import { deriveMd5Crypt } from "./md5-crypt.ts";
import { derivePbkdf2 } from "./pbkdf2.ts";
import { derivePhpass } from "./phpass.ts";
import { deriveScrypt } from "./scrypt.ts";
import { deriveShaCrypt } from "./sha-crypt.ts";

// What runs in a hashing thread, one job after another. All of it is synchronous, for tens of
// milliseconds and with high costs for seconds. No other thread loads the libraries.

/** A password to hash with a salt of its own. */
export interface HashJob {
  readonly password: Uint8Array;
  readonly salt: Uint8Array;
}

/** A password to verify, and the hash that it should have. */
export interface VerifyJob {
  readonly password: Uint8Array;
  readonly hash: ParsedHash;
}

/** A hash of the password as this service makes it: Argon2id of version 19, in PHC form. */
export function hash({ password, salt }: HashJob): string {
  return hashSync(password, { ...ownArgon2, salt });
}

/** Whether the hash is one of the password. */
export function verify({ password, hash }: VerifyJob): boolean {
  switch (hash.family) {
    case "argon2":
      return isArgon2Of(hash.encoded, password);
    case "bcrypt":
      // It looks at the first 72 bytes of a password and no further, here as everywhere: a hash
      // that was made elsewhere verifies with the same passwords here.
      return isBcryptOf(password, hash.encoded);
    case "scrypt":
      return isSame(deriveScrypt(hash, password), hash.expected);
    case "pbkdf2":
      return isSame(derivePbkdf2(hash, password), hash.expected);
    case "md5-crypt":
      return isSame(deriveMd5Crypt(hash, password), hash.expected);
    case "phpass":
      return isSame(derivePhpass(hash, password), hash.expected);
    case "sha-crypt":
      return isSame(deriveShaCrypt(hash, password), hash.expected);
  }
}
