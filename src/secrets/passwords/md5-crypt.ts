import { hash } from "node:crypto";
import { type ReadHash, refused } from "./check.ts";
import { cryptSaltCharacter } from "./crypt-salt.ts";
import { encodeHash64 } from "./hash64.ts";

/** An md5-crypt hash (Poul-Henning Kamp's, FreeBSD 2.0). */
export interface Md5Crypt {
  readonly family: "md5-crypt";
  readonly salt: string;
  readonly expected: Uint8Array;
}

const rounds = 1_000;
const form = new RegExp(`^\\$1\\$(${cryptSaltCharacter}{0,8})\\$([./0-9A-Za-z]{21}[./01])$`);

/** In which order the bytes of the digest are written. */
const order = [12, 6, 0, 13, 7, 1, 14, 8, 2, 15, 9, 3, 5, 10, 4, 11];

/** Reads `$1$salt$hash`. Every such hash costs the same 1,000 rounds. */
export function readMd5Crypt(encoded: string): ReadHash<Md5Crypt> {
  const [, salt, digest] = form.exec(encoded) ?? [];
  if (salt === undefined || digest === undefined) {
    return refused(
      "An md5-crypt hash has the form $1$<salt>$<hash>, a salt of up to 8 characters of ASCII " +
        "without $ and :, and a hash of 22 of the characters ./0-9A-Za-z.",
    );
  }
  return { ok: true, hash: { family: "md5-crypt", salt, expected: Buffer.from(digest) } };
}

/** Synchronous, for a few milliseconds. */
export function deriveMd5Crypt(parsed: Md5Crypt, password: Uint8Array): Uint8Array {
  const salt = Buffer.from(parsed.salt);
  const inner = md5(password, salt, password);
  // One byte for each binary digit of the length, the lowest first: a zero byte for a one, the
  // first byte of the password for a zero. What looks like a slip is how the algorithm is.
  const lengthBits: Uint8Array[] = [];
  for (let rest = password.length; rest > 0; rest >>>= 1) {
    lengthBits.push(rest % 2 === 1 ? Buffer.alloc(1) : password.subarray(0, 1));
  }
  const repeated = Buffer.alloc(password.length, inner);
  let digest = md5(password, Buffer.from("$1$"), salt, repeated, ...lengthBits);
  for (let round = 0; round < rounds; round += 1) {
    const isOdd = round % 2 === 1;
    digest = md5(
      isOdd ? password : digest,
      ...(round % 3 === 0 ? [] : [salt]),
      ...(round % 7 === 0 ? [] : [password]),
      isOdd ? digest : password,
    );
  }
  return Buffer.from(encodeHash64(Uint8Array.from(order, (at) => digest[at] ?? 0)));
}

function md5(...chunks: readonly Uint8Array[]): Buffer {
  return hash("md5", Buffer.concat(chunks), "buffer");
}
