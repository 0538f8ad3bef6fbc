import { type Argon2, readArgon2 } from "./argon2.ts";
import { type Bcrypt, readBcrypt } from "./bcrypt.ts";
import { type Reading, refused } from "./check.ts";
import { type Md5Crypt, readMd5Crypt } from "./md5-crypt.ts";
import { type Pbkdf2, readPbkdf2 } from "./pbkdf2.ts";
import { type Phpass, readPhpass } from "./phpass.ts";
import { readScrypt, type Scrypt } from "./scrypt.ts";
import { readShaCrypt, type ShaCrypt } from "./sha-crypt.ts";

/** What a hash says of how to derive the digest of a password, and of which one to expect. */
export type ParsedHash = Argon2 | Bcrypt | Scrypt | Pbkdf2 | Md5Crypt | Phpass | ShaCrypt;

/** The longest that any hash within the caps can be is about half of this. */
const charactersMax = 512;

/** Who reads which identifier: what stands between the first two dollar signs. */
const readers = new Map<string, (encoded: string) => Reading<ParsedHash>>([
  ["argon2i", readArgon2],
  ["argon2id", readArgon2],
  ["2a", readBcrypt],
  ["2b", readBcrypt],
  ["2y", readBcrypt],
  ["scrypt", readScrypt],
  ["7", readScrypt],
  ["pbkdf2", readPbkdf2],
  ["pbkdf2-sha1", readPbkdf2],
  ["pbkdf2-sha256", readPbkdf2],
  ["pbkdf2-sha512", readPbkdf2],
  ["5", readShaCrypt],
  ["6", readShaCrypt],
  ["1", readMd5Crypt],
  ["P", readPhpass],
  ["H", readPhpass],
]);

/** The accepted formats, for people: it ends the sentence of every refusal of an unknown one. */
export const acceptedFormats =
  "Argon2 ($argon2id$, $argon2i$), bcrypt ($2a$, $2b$, $2y$), scrypt ($scrypt$, $7$), " +
  "PBKDF2 ($pbkdf2$, $pbkdf2-sha1$, $pbkdf2-sha256$, $pbkdf2-sha512$), " +
  "sha-crypt ($5$, $6$), md5-crypt ($1$) and phpass ($P$, $H$)";

/**
 * Whether the text, in Modular Crypt or PHC form, is a hash that this service can verify at a cost
 * that it can bear: every format has caps, so that an imported hash cannot exhaust the server. It
 * only reads, never derives, and never throws; the reason of a refusal has no part of the text.
 */
export function checkHash(encoded: string): Reading<ParsedHash> {
  if (encoded.length > charactersMax) {
    return refused(`A hash has at most ${charactersMax} characters.`);
  }
  const [start, id = "", rest] = encoded.split("$", 3);
  const read = start === "" && rest !== undefined ? readers.get(id) : undefined;
  return read?.(encoded) ?? refused(`The accepted formats are ${acceptedFormats}.`);
}
