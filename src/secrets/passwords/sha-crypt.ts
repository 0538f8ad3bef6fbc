import { hash } from "node:crypto";
import { integer, type ReadHash, refused } from "./check.ts";
import { cryptSaltCharacter } from "./crypt-salt.ts";
import { encodeHash64 } from "./hash64.ts";

/**
 * A hash of Ulrich Drepper's "Unix crypt using SHA-256 and SHA-512". Ours, because
 * `unixcrypt` 3.0.4 is wrong for each password whose length is a multiple of the digest's.
 */
export interface ShaCrypt {
  readonly family: "sha-crypt";
  readonly hash: "sha256" | "sha512";
  readonly rounds: number;
  readonly salt: string;
  readonly expected: Uint8Array;
}

const roundsMin = 1_000;
const roundsMax = 500_000;
const roundsDefault = "5000";

// What looks like rounds is never a salt: crypt(3) would look for the salt behind it.
const form = new RegExp(
  `^\\$([56])\\$(?:rounds=(\\d+)\\$)?(?!rounds=)(${cryptSaltCharacter}{0,16})\\$([./0-9A-Za-z]+)$`,
);

const kinds = {
  5: { hash: "sha256", digest: /^.{42}[./0-9A-D]$/ },
  6: { hash: "sha512", digest: /^.{85}[./01]$/ },
} as const;

/** In which order the bytes of the digest are written. */
const orders = {
  sha256: [...triples(10, 21), 30, 31],
  sha512: [...triples(21, 22), 63],
};

/** One byte of each of three equal parts, the last part first; each triple a step further. */
function triples(part: number, step: number): readonly number[] {
  return Array.from({ length: part }, (_, index) =>
    [2 * part, part, 0].map((start) => (start + index * step) % (3 * part)),
  ).flat();
}

/** Reads `$5$salt$hash` (SHA-256) and `$6$salt$hash` (SHA-512), `rounds=…$` before the salt. */
export function readShaCrypt(encoded: string): ReadHash<ShaCrypt> {
  const [, id, digits = roundsDefault, salt, digest] = form.exec(encoded) ?? [];
  const kind = kinds[id === "5" ? 5 : 6];
  if (salt === undefined || digest === undefined || !kind.digest.test(digest)) {
    return refused(
      "A sha-crypt hash has the form $5$<salt>$<hash> or $6$<salt>$<hash>, rounds=<n>$ before " +
        "the salt or not, a salt of up to 16 characters of ASCII without $ and :, and a hash of " +
        "43 or 86 of ./0-9A-Za-z.",
    );
  }
  const rounds = integer(digits, roundsMin, roundsMax);
  if (rounds === undefined) {
    return refused(`sha-crypt: the rounds are from ${roundsMin} to ${roundsMax}.`);
  }
  return {
    ok: true,
    hash: { family: "sha-crypt", hash: kind.hash, rounds, salt, expected: Buffer.from(digest) },
  };
}

/** Synchronous, and for seconds when the rounds are many: for the worker thread only. */
export function deriveShaCrypt(parsed: ShaCrypt, password: Uint8Array): Uint8Array {
  const digestOf = (...chunks: readonly Uint8Array[]) =>
    hash(parsed.hash, Buffer.concat(chunks), "buffer");
  const salt = Buffer.from(parsed.salt);
  const { length } = password;

  const inner = digestOf(password, salt, password);
  // One part for each binary digit of the length, the lowest first.
  const lengthBits: Uint8Array[] = [];
  for (let rest = length; rest > 0; rest >>>= 1) lengthBits.push(rest % 2 ? inner : password);
  let digest = digestOf(password, salt, Buffer.alloc(length, inner), ...lengthBits);

  const passwords = Array.from({ length }, () => password);
  const salts = Array.from({ length: 16 + (digest[0] ?? 0) }, () => salt);
  const mixedPassword = Buffer.alloc(length, digestOf(...passwords));
  const mixedSalt = Buffer.alloc(salt.length, digestOf(...salts));
  for (let round = 0; round < parsed.rounds; round += 1) {
    const isOdd = round % 2 === 1;
    digest = digestOf(
      isOdd ? mixedPassword : digest,
      ...(round % 3 === 0 ? [] : [mixedSalt]),
      ...(round % 7 === 0 ? [] : [mixedPassword]),
      isOdd ? digest : mixedPassword,
    );
  }
  const order = orders[parsed.hash];
  return Buffer.from(encodeHash64(Uint8Array.from(order, (at) => digest[at] ?? 0)));
}
