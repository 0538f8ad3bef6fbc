import { isSame } from "../same.ts";
import type { ParsedHash } from "./encoded.ts";
import { deriveMd5Crypt } from "./md5-crypt.ts";
import { hashArgon2, verifyArgon2, verifyBcrypt } from "./native.ts";
import { derivePbkdf2 } from "./pbkdf2.ts";
import { derivePhpass } from "./phpass.ts";
import { deriveScrypt } from "./scrypt.ts";
import { deriveShaCrypt } from "./sha-crypt.ts";

// What runs in a hashing thread, one job after another.

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

/** A hash of the password as this service makes it, in PHC form. */
export function hash({ password, salt }: HashJob): string {
  return hashArgon2(password, salt);
}

/** Whether the hash is one of the password. */
export function verify({ password, hash }: VerifyJob): boolean {
  switch (hash.family) {
    case "argon2":
      return verifyArgon2(hash, password);
    case "bcrypt":
      return verifyBcrypt(hash, password);
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
