/** The digits of RFC 4648, section 6, from which secrets of authenticator apps are made. */
export const rfc4648 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Those of Crockford: without I, L, O and U, which people take for others. */
export const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Whole groups of five bytes in base 32, eight digits for each. */
export function base32(bytes: Uint8Array, digits: string): string {
  const groups = bitsOf(bytes, 8).match(/.{5}/g) ?? [];
  return groups.map((group) => digits.charAt(Number.parseInt(group, 2))).join("");
}

/** The whole bytes of a text in base 32; each character has to be one of the digits. */
export function bytesOf(text: string, digits: string): Uint8Array {
  const values = Array.from(text, (digit) => digits.indexOf(digit));
  const groups = bitsOf(values, 5).match(/.{8}/g) ?? [];
  return Uint8Array.from(groups, (group) => Number.parseInt(group, 2));
}

function bitsOf(values: Iterable<number>, width: number): string {
  return Array.from(values, (value) => value.toString(2).padStart(width, "0")).join("");
}
