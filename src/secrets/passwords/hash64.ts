/**
 * The alphabet of crypt(3). Three bytes are one number, the first byte its lowest part, and the
 * digits are written from the lowest; bcrypt shares the characters but neither their order.
 */
const alphabet = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The bytes in crypt(3)'s base 64: 16 bytes are 22 characters, 32 are 43, 64 are 86. */
export function encodeHash64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const group = bytes.subarray(at, at + 3);
    let number = group.reduceRight((higher, byte) => 256 * higher + byte, 0);
    // A group of n bytes needs n + 1 digits.
    for (let digits = group.length + 1; digits > 0; digits -= 1) {
      text += alphabet.charAt(number % 64);
      number = Math.floor(number / 64);
    }
  }
  return text;
}

/** The number that the digits stand for, the lowest first; the text is of the alphabet. */
export function readHash64(digits: string): number {
  return [...digits].reduceRight((number, digit) => 64 * number + alphabet.indexOf(digit), 0);
}
