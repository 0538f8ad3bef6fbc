import { type Argon2, ownArgon2, readArgon2 } from "./argon2.ts";
import { type Bcrypt, readBcrypt } from "./bcrypt.ts";
import { type ReadHash, refused } from "./check.ts";
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
const readers = new Map<string, (encoded: string) => ReadHash<ParsedHash>>([
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
export function checkHash(encoded: string): ReadHash<ParsedHash> {
  if (encoded.length > charactersMax) {
    return refused(`A hash has at most ${charactersMax} characters.`);
  }
  const [start, id = "", rest] = encoded.split("$", 3);
  const read = start === "" && rest !== undefined ? readers.get(id) : undefined;
  return read?.(encoded) ?? refused(`The accepted formats are ${acceptedFormats}.`);
}

/**
 * As `checkHash`, for a hash that is to be kept from now on: where it states what it costs to try a
 * password, that is not too little. Those that are kept already stay valid.
 */
export function checkNewHash(encoded: string): ReadHash<ParsedHash> {
  const reading = checkHash(encoded);
  const reason = reading.ok ? tooCheap(reading.hash) : undefined;
  return reason === undefined ? reading : refused(reason);
}

/** The least that a new hash may cost: KiB of memory, rounds, and the binary logarithm of N. */
const floors = { argon2KiB: 4 * 1024, pbkdf2Rounds: 1_000, scryptCostLog2: 12 } as const;

/** What is wrong with the costs of a hash; sha-crypt and bcrypt have none so low. */
function tooCheap(hash: ParsedHash): string | undefined {
  const { argon2KiB, pbkdf2Rounds, scryptCostLog2 } = floors;
  switch (hash.family) {
    case "argon2":
      return hash.memoryKiB < argon2KiB
        ? `Argon2: m of a new hash is at least ${argon2KiB} KiB.`
        : undefined;
    case "pbkdf2":
      return hash.rounds < pbkdf2Rounds
        ? `PBKDF2: the rounds of a new hash are at least ${pbkdf2Rounds}.`
        : undefined;
    case "scrypt":
      return hash.costLog2 < scryptCostLog2
        ? `scrypt: N of a new hash is at least 2^${scryptCostLog2}.`
        : undefined;
    default:
      return undefined;
  }
}

/** Whether the hash is of the kind that this service makes itself. */
export function isOwnHash(encoded: string): boolean {
  const { memoryCost, timeCost, parallelism } = ownArgon2;
  return encoded.startsWith(`$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`);
}
