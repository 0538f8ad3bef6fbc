import { readCode } from "../text/typed.ts";
import { base32, crockford } from "./base32.ts";
import { hashSecret, isHashOf, type RandomBytes } from "./tokens.ts";

/** 80 bits, which nobody guesses: so a plain hash of one is kept. */
const codeBytes = 10;
const form = /^[0-9A-HJKMNP-TV-Z]{16}$/;

/** A recovery code as people keep it: 16 characters, four in a group. */
export function createRecoveryCode(random: RandomBytes): string {
  return (base32(random(codeBytes), crockford).match(/.{4}/g) ?? []).join("-");
}

/** What is stored of a recovery code, as `createRecoveryCode` makes it. */
export function hashRecoveryCode(code: string): string {
  return hashSecret(code.replaceAll("-", ""));
}

/**
 * Tells whether what is stored is of the code that somebody typed, in constant time. Case, spaces
 * and hyphens make no difference; I and L are read as 1, O as 0, as Crockford's base32 has it.
 */
export function opensRecovery(typed: string): (stored: string) => boolean {
  const read = readCode(typed);
  // Some other letters have one of these as their upper case.
  const code = /^[\x21-\x7e]*$/.test(read) ? fold(read) : "";
  return form.test(code) ? (stored) => isHashOf(stored, code) : () => false;
}

function fold(code: string): string {
  return code.toUpperCase().replace(/[IL]/g, "1").replaceAll("O", "0");
}
