import { integer, type ReadHash, refused } from "./check.ts";

/** A bcrypt hash, as the package reads it. */
export interface Bcrypt {
  readonly family: "bcrypt";
  readonly encoded: string;
}

const costMax = 15;

const form = /^\$2[aby]\$(\d\d)\$([./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/;
const alphabet = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/**
 * Reads `$2b$12$` and 53 characters, `2a` and `2y` alike: they name bug fixes of implementations,
 * not other algorithms. `2x` is a bug that would have to be repeated, so it is not accepted. Bits
 * that the last characters of salt and hash have to spare are ignored: old libraries set them.
 */
export function readBcrypt(encoded: string): ReadHash<Bcrypt> {
  const [, digits = "", salt, digest] = form.exec(encoded) ?? [];
  if (salt === undefined || digest === undefined) {
    return refused(
      "A bcrypt hash has the form $2b$<cost>$ and 53 characters; 2a and 2y are read as 2b.",
    );
  }
  const cost = integer(digits.replace(/^0/, ""), 4, costMax);
  if (cost === undefined) return refused(`bcrypt: the cost is from 04 to ${costMax}.`);
  // 16 bytes are 21 digits and a third of one more, 23 bytes 30 and two thirds.
  const texts = withoutSpare(salt, 4) + withoutSpare(digest, 2);
  return { ok: true, hash: { family: "bcrypt", encoded: `$2b$${digits}$${texts}` } };
}

/** Digits whose last one has its lowest bits cleared. */
function withoutSpare(digits: string, bits: number): string {
  const last = alphabet.indexOf(digits.slice(-1));
  return digits.slice(0, -1) + alphabet.charAt((last >> bits) << bits);
}
