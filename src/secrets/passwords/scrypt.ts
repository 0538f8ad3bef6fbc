import { scryptSync } from "node:crypto";
import { base64, integer, type ReadHash, type Refused, refused } from "./check.ts";
import { encodeHash64, readHash64 } from "./hash64.ts";

/** An scrypt hash (RFC 7914). */
export interface Scrypt {
  readonly family: "scrypt";
  /** The binary logarithm of N. */
  readonly costLog2: number;
  readonly blockSize: number;
  readonly parallelism: number;
  readonly salt: Uint8Array;
  readonly bytes: number;
  readonly expected: Uint8Array;
  /** Whether the digest is expected as crypt(3) writes it, instead of as bytes. */
  readonly isCrypt: boolean;
}

const memoryBytesMax = 128 * 1024 * 1024;
/** How often the permitted memory may be gone through: p repeats the work, one after another. */
const workBytesMax = 4 * memoryBytesMax;
const costLog2Max = 20;
const blockSizeMax = 32;
const parallelismMax = 16;
const saltBytesMax = 64;
const digestBytesMin = 16;
const digestBytesMax = 64;
const cryptDigestBytes = 32;

const form = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]*)\$([^$]+)$/;
const crypt = /^\$7\$([./0-9A-Za-z])([./0-9A-Za-z]{5})([./0-9A-Za-z]{5})([^$]*)\$([^$]+)$/;

/** Reads `$scrypt$ln=…,r=…,p=…$salt$hash`, as PHC and passlib write it, and `$7$` of crypt(3). */
export function readScrypt(encoded: string): ReadHash<Scrypt> {
  return encoded.startsWith("$7$") ? readCrypt(encoded) : readPhc(encoded);
}

function readPhc(encoded: string): ReadHash<Scrypt> {
  const match = form.exec(encoded);
  if (match === null) {
    return refused("An scrypt hash has the form $scrypt$ln=<log2 N>,r=<r>,p=<p>$<salt>$<hash>.");
  }
  const costs = checkCosts(
    integer(match[1], 1, costLog2Max),
    integer(match[2], 1, blockSizeMax),
    integer(match[3], 1, parallelismMax),
  );
  if ("reason" in costs) return costs;
  const salt = base64(match[4], 0, saltBytesMax);
  if (salt === undefined) {
    return refused(`scrypt: the salt has at most ${saltBytesMax} bytes in base64.`);
  }
  const expected = base64(match[5], digestBytesMin, digestBytesMax);
  if (expected === undefined) {
    return refused(`scrypt: the hash has ${digestBytesMin} to ${digestBytesMax} bytes in base64.`);
  }
  const bytes = expected.length;
  return { ok: true, hash: { family: "scrypt", ...costs, salt, bytes, expected, isCrypt: false } };
}

function readCrypt(encoded: string): ReadHash<Scrypt> {
  const [, ln = "", r = "", p = "", salt = "", digest = ""] = crypt.exec(encoded) ?? [];
  if (!/^[!-~]{0,64}$/.test(salt) || !/^[./0-9A-Za-z]{42}[./0-9A-D]$/.test(digest)) {
    return refused(
      "An scrypt hash of crypt(3) is $7$, 11 characters of costs, a salt, $ and 43 characters.",
    );
  }
  const costs = checkCosts(readHash64(ln), readHash64(r), readHash64(p));
  if ("reason" in costs) return costs;
  const texts = { salt: Buffer.from(salt), expected: Buffer.from(digest) };
  const bytes = cryptDigestBytes;
  return { ok: true, hash: { family: "scrypt", ...costs, ...texts, bytes, isCrypt: true } };
}

function checkCosts(
  costLog2 = 0,
  blockSize = 0,
  parallelism = 0,
): Pick<Scrypt, "costLog2" | "blockSize" | "parallelism"> | Refused {
  if (blockSize < 1 || blockSize > blockSizeMax) {
    return refused(`scrypt: r is from 1 to ${blockSizeMax}.`);
  }
  // The algorithm itself asks for N below 2^(128 r / 8).
  if (costLog2 < 1 || costLog2 > costLog2Max || costLog2 >= 16 * blockSize) {
    return refused(`scrypt: ln is from 1 to ${costLog2Max}, and below 16 times r.`);
  }
  if (parallelism < 1 || parallelism > parallelismMax) {
    return refused(`scrypt: p is from 1 to ${parallelismMax}.`);
  }
  const memoryBytes = 128 * 2 ** costLog2 * blockSize;
  if (memoryBytes > memoryBytesMax || memoryBytes * parallelism > workBytesMax) {
    return refused("scrypt: 128 times N times r is at most 128 MiB, and times p 512 MiB.");
  }
  return { costLog2, blockSize, parallelism };
}

/** Synchronous, for up to seconds: for a hashing thread only. */
export function deriveScrypt(parsed: Scrypt, password: Uint8Array): Uint8Array {
  const { costLog2, blockSize: r, parallelism: p } = parsed;
  const N = 2 ** costLog2;
  // What OpenSSL counts before it begins: p blocks, and N + 2 of them for the mixing.
  const maxmem = 128 * r * (N + p + 2);
  const digest = scryptSync(password, parsed.salt, parsed.bytes, { N, r, p, maxmem });
  return parsed.isCrypt ? Buffer.from(encodeHash64(digest)) : digest;
}
