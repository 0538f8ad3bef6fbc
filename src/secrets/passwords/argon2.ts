import { hashRawSync } from "@node-rs/argon2";
import { base64, integer, type Reading, refused } from "./check.ts";

/** How to derive an Argon2 digest (RFC 9106). */
export interface Argon2 {
  readonly family: "argon2";
  readonly algorithm: "argon2i" | "argon2id";
  readonly version: 16 | 19;
  readonly memoryKiB: number;
  readonly passes: number;
  readonly lanes: number;
  readonly salt: Uint8Array;
  readonly bytes: number;
}

const memoryKiBMax = 128 * 1024;
const passesMax = 10;
const lanesMax = 8;
const saltBytesMin = 8;
const saltBytesMax = 64;
const digestBytesMin = 16;
const digestBytesMax = 64;

// The numbers of the package's enumerations, which exist for the type checker only.
const algorithms = { argon2i: 1, argon2id: 2 } as const;
const versions = { 16: 0, 19: 1 } as const;

/** How this service hashes passwords itself: OWASP's first choice for Argon2id. */
const own = { memoryKiB: 19 * 1024, passes: 2, lanes: 1, bytes: 32 };
const ownSaltBytes = 16;

const form = /^\$(argon2id?)(?:\$v=(16|19))?\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/;

/** Reads `$argon2id$v=19$m=…,t=…,p=…$salt$hash`; without `v=` it is version 16, as in the paper. */
export function readArgon2(encoded: string): Reading<Argon2> {
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
  const algorithm = match[1] === "argon2i" ? "argon2i" : "argon2id";
  const version = match[2] === "19" ? 19 : 16;
  const bytes = expected.length;
  return {
    ok: true,
    recipe: { family: "argon2", algorithm, version, memoryKiB, passes, lanes, salt, bytes },
    expected,
  };
}

/** Synchronous, for tens of milliseconds: for a hashing thread only. */
export function deriveArgon2(recipe: Argon2, password: Uint8Array): Uint8Array {
  return hashRawSync(password, {
    algorithm: algorithms[recipe.algorithm],
    version: versions[recipe.version],
    memoryCost: recipe.memoryKiB,
    timeCost: recipe.passes,
    parallelism: recipe.lanes,
    salt: recipe.salt,
    outputLen: recipe.bytes,
  });
}

/** How a password is hashed that has no hash yet: as this service does it, with a fresh salt. */
export function freshArgon2(random: (size: number) => Uint8Array): Argon2 {
  const salt = random(ownSaltBytes);
  return { family: "argon2", algorithm: "argon2id", version: 19, ...own, salt };
}

/** The recipe and its digest in the form that `readArgon2` reads. */
export function encodeArgon2(recipe: Argon2, digest: Uint8Array): string {
  const { algorithm, version, memoryKiB, passes, lanes, salt } = recipe;
  const costs = `m=${memoryKiB},t=${passes},p=${lanes}`;
  return `$${algorithm}$v=${version}$${costs}$${unpadded(salt)}$${unpadded(digest)}`;
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replace(/=+$/, "");
}
