import { base64, integer, type ReadHash, refused } from "./check.ts";

/** An Argon2 hash (RFC 9106), in PHC form as the package reads it. */
export interface Argon2 {
  readonly family: "argon2";
  readonly encoded: string;
  readonly memoryKiB: number;
}

const memoryKiBMax = 128 * 1024;
const passesMax = 10;
const lanesMax = 8;
const saltBytesMin = 8;
const saltBytesMax = 64;
const digestBytesMin = 16;
const digestBytesMax = 64;

/** How this service hashes passwords itself: OWASP's first choice for Argon2id. */
export const ownArgon2 = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1, outputLen: 32 };
const ownSaltBytes = 16;

const form = /^\$(argon2id?)(?:\$v=(16|19))?\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/;

/** Reads `$argon2id$v=19$m=…,t=…,p=…$salt$hash`; without `v=` it is version 16, as in the paper. */
export function readArgon2(encoded: string): ReadHash<Argon2> {
  const match = form.exec(encoded);
  if (match === null) {
    return refused(
      "An Argon2 hash has the form $argon2id$v=19$m=<KiB>,t=<passes>,p=<lanes>$<salt>$<hash>.",
    );
  }
  const lanes = integer(match[5], 1, lanesMax);
  if (lanes === undefined) return refused(`Argon2: p is from 1 to ${lanesMax}.`);
  const memoryKiB = integer(match[3], 8 * lanes, memoryKiBMax);
  if (memoryKiB === undefined) {
    return refused(`Argon2: m is from 8 times p to ${memoryKiBMax} KiB.`);
  }
  const passes = integer(match[4], 1, passesMax);
  if (passes === undefined) return refused(`Argon2: t is from 1 to ${passesMax}.`);
  const salt = base64(match[6], saltBytesMin, saltBytesMax);
  if (salt === undefined) {
    return refused(`Argon2: the salt has ${saltBytesMin} to ${saltBytesMax} bytes in base64.`);
  }
  const expected = base64(match[7], digestBytesMin, digestBytesMax);
  if (expected === undefined) {
    return refused(`Argon2: the hash has ${digestBytesMin} to ${digestBytesMax} bytes in base64.`);
  }
  const costs = `m=${memoryKiB},t=${passes},p=${lanes}`;
  const texts = `${unpadded(salt)}$${unpadded(expected)}`;
  const phc = `$${match[1]}$v=${match[2] ?? 16}$${costs}$${texts}`;
  return { ok: true, hash: { family: "argon2", encoded: phc, memoryKiB } };
}

/** A fresh salt for a hash of our own. */
export function freshSalt(random: (size: number) => Uint8Array): Uint8Array {
  return random(ownSaltBytes);
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replace(/=+$/, "");
}
