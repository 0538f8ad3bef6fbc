import { hashSync } from "@node-rs/bcrypt";
import { integer, type Reading, refused } from "./check.ts";

/** How to derive a bcrypt digest. */
export interface Bcrypt {
  readonly family: "bcrypt";
  readonly cost: number;
  readonly salt: Uint8Array;
}

const costMax = 15;
const digestCharacters = 31;

const form = /^\$2[aby]\$(\d\d)\$([./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/;
const alphabet = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const standard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * Reads `$2b$12$` and 53 characters, `2a` and `2y` alike: they name bug fixes of implementations,
 * not other algorithms. `2x` is a bug that would have to be repeated, so it is not accepted. Bits
 * that the last characters of salt and hash have to spare are ignored: old libraries set them.
 */
export function readBcrypt(encoded: string): Reading<Bcrypt> {
  const [, digits = "", salt, digest] = form.exec(encoded) ?? [];
  if (salt === undefined || digest === undefined) {
    return refused(
      "A bcrypt hash has the form $2b$<cost>$ and 53 characters; 2a and 2y are read as 2b.",
    );
  }
  const cost = integer(digits.replace(/^0/, ""), 4, costMax);
  if (cost === undefined) return refused(`bcrypt: the cost is from 04 to ${costMax}.`);
  return {
    ok: true,
    recipe: { family: "bcrypt", cost, salt: decode(salt) },
    expected: decode(digest),
  };
}

/**
 * bcrypt looks at the first 72 bytes of a password and no further, here as everywhere: a hash that
 * was made elsewhere verifies with the same passwords here. Synchronous, and for seconds when the
 * cost is high: for a hashing thread only.
 */
export function deriveBcrypt(recipe: Bcrypt, password: Uint8Array): Uint8Array {
  const encoded = hashSync(password, recipe.cost, recipe.salt);
  return decode(encoded.slice(-digestCharacters));
}

function decode(text: string): Uint8Array {
  const digits = [...text].map((digit) => standard.charAt(alphabet.indexOf(digit)));
  return Buffer.from(digits.join(""), "base64");
}
