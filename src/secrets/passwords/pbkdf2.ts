import { pbkdf2Sync } from "node:crypto";
import { base64, integer, type ReadHash, refused } from "./check.ts";

/** A PBKDF2 hash (RFC 8018) with HMAC and the given hash function. */
export interface Pbkdf2 {
  readonly family: "pbkdf2";
  readonly hash: "sha1" | "sha256" | "sha512";
  readonly rounds: number;
  readonly salt: Uint8Array;
  readonly expected: Uint8Array;
}

const roundsMax = 2_000_000;
const saltBytesMax = 64;
const digestBytesMin = 16;
const digestBytesMax = 64;

const hashes = {
  "": { hash: "sha1", blockBytes: 20 },
  "-sha1": { hash: "sha1", blockBytes: 20 },
  "-sha256": { hash: "sha256", blockBytes: 32 },
  "-sha512": { hash: "sha512", blockBytes: 64 },
} as const;

const form = /^\$pbkdf2(-sha1|-sha256|-sha512|)\$(?:i=(\d+)(?:,l=(\d+))?|(\d+))\$([^$]*)\$([^$]+)$/;

/**
 * Reads passlib's `$pbkdf2-sha256$rounds$salt$hash`, where `$pbkdf2$` is SHA-1, and the PHC form
 * with `i=rounds` and, as some write it, `,l=bytes`.
 */
export function readPbkdf2(encoded: string): ReadHash<Pbkdf2> {
  const match = form.exec(encoded);
  if (match === null) {
    return refused(
      "A PBKDF2 hash has the form $pbkdf2-sha256$<rounds>$<salt>$<hash> or " +
        "$pbkdf2-sha256$i=<rounds>$<salt>$<hash>, with -sha512, -sha1 or nothing for SHA-1 too.",
    );
  }
  const { hash, blockBytes } = hashes[match[1] as keyof typeof hashes];
  const salt = base64(match[5], 0, saltBytesMax);
  if (salt === undefined) {
    return refused(`PBKDF2: the salt has at most ${saltBytesMax} bytes in base64.`);
  }
  const expected = base64(match[6], digestBytesMin, digestBytesMax);
  if (expected === undefined) {
    return refused(`PBKDF2: the hash has ${digestBytesMin} to ${digestBytesMax} bytes in base64.`);
  }
  const bytes = expected.length;
  if (match[3] !== undefined && match[3] !== String(bytes)) {
    return refused("PBKDF2: l is the number of bytes that the hash has.");
  }
  const rounds = integer(match[2] ?? match[4], 1, roundsMax);
  // Every block of the digest takes all rounds anew.
  if (rounds === undefined || rounds * Math.ceil(bytes / blockBytes) > roundsMax) {
    return refused(
      `PBKDF2: the rounds are from 1 to ${roundsMax}, times the blocks of ${hash} in the hash.`,
    );
  }
  return { ok: true, hash: { family: "pbkdf2", hash, rounds, salt, expected } };
}

/** Synchronous, and for seconds when the rounds are many: for a hashing thread only. */
export function derivePbkdf2(parsed: Pbkdf2, password: Uint8Array): Uint8Array {
  const { salt, rounds, expected, hash } = parsed;
  return pbkdf2Sync(password, salt, rounds, expected.length, hash);
}
