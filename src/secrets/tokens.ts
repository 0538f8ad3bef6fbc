import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { isSame } from "./same.ts";

/** Fills bytes with randomness fit for secrets; `crypto.randomBytes` in the service. */
export type RandomBytes = (size: number) => Uint8Array;

const prefix = "iam_pat_";
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const secretBytes = 32;
const secretDigits = 43; // 62^43 > 2^256
const checksumDigits = 6; // 62^6 > 2^32
const form = new RegExp(`^${prefix}[0-9A-Za-z]{${secretDigits + checksumDigits}}$`);

/**
 * A personal access token: `iam_pat_`, 32 random bytes in base 62, and the CRC-32 of what stands
 * before it in base 62, so that a truncated or mistyped one is refused without a look-up and
 * scanners for leaked secrets can tell one.
 */
export function createToken(random: RandomBytes): string {
  const number = BigInt(`0x${Buffer.from(random(secretBytes)).toString("hex")}`);
  const body = prefix + base62(number, secretDigits);
  return body + checksum(body);
}

/** Whether the text has the form of a token, checksum included; not whether anyone holds it. */
export function isToken(text: string): boolean {
  if (!form.test(text)) return false;
  const body = text.slice(0, -checksumDigits);
  return text.endsWith(checksum(body));
}

/** A client secret: 43 characters of base64url for 32 random bytes. */
export function createClientSecret(random: RandomBytes): string {
  return Buffer.from(random(secretBytes)).toString("base64url");
}

/** What is stored of a token or client secret: its SHA-256 in hexadecimal. */
export function hashSecret(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** Whether a stored hash is that of the secret, in constant time. */
export function isHashOf(stored: string, secret: string): boolean {
  return isSame(Buffer.from(stored), Buffer.from(hashSecret(secret)));
}

/** Whether a secret is the one that was shown, in constant time, whatever lengths they have. */
export function isEqual(secret: string, shown: string): boolean {
  return isHashOf(hashSecret(secret), shown);
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), checksumDigits);
}

function base62(number: bigint, digits: number): string {
  let text = "";
  for (let rest = number; text.length < digits; rest /= 62n) {
    text = alphabet.charAt(Number(rest % 62n)) + text;
  }
  return text;
}
