import type { RandomBytes } from "./tokens.ts";

/** Capital letters and digits, without those that look alike on paper: I, L, O, 0 and 1. */
const alphabet = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";
const codeCharacters = 6;

/** A code for people to type: six characters, each equally likely. */
export function createCode(random: RandomBytes): string {
  let code = "";
  while (code.length < codeCharacters) {
    for (const byte of random(codeCharacters)) {
      // Bytes above the last whole multiple would make some characters likelier.
      const fair = byte < Math.floor(256 / alphabet.length) * alphabet.length;
      if (fair && code.length < codeCharacters) code += alphabet.charAt(byte % alphabet.length);
    }
  }
  return code;
}
