import { createHmac } from "node:crypto";
import { base32, bytesOf, rfc4648 } from "./base32.ts";
import { isSame } from "./same.ts";
import type { RandomBytes } from "./tokens.ts";

/** The secret of an authenticator app (RFC 6238) as it is stored, or why it is not one. */
export type TotpSecret =
  | { readonly ok: true; readonly secret: string }
  | { readonly ok: false; readonly reason: string };

const charactersMin = 16;
const charactersMax = 128;
/** Groups and padding included: every character may stand alone between separators. */
const textCharactersMax = 2 * charactersMax + 8;

/**
 * Reads a base32 secret (RFC 4648, section 6) as people copy it from apps and exports: in either
 * case, in groups with spaces or hyphens between them, with its `=` padding or without. What comes
 * back is upper case without any of these. 16 characters are 80 bits, the least that apps make;
 * 128 are more than any HMAC makes use of. Bits that the last character has to spare mean nothing
 * to apps and stay.
 */
export function readTotpSecret(text: string): TotpSecret {
  if (text.length > textCharactersMax) return refused();
  // Checked before it is folded: some letters beyond ASCII have ASCII ones as their upper case.
  const match = /^([A-Za-z2-7]+)(=*)$/.exec(text.replace(/[ -]/g, ""));
  const [, digits, padding] = match ?? [];
  if (digits === undefined || padding === undefined) return refused();
  if (digits.length < charactersMin || digits.length > charactersMax) return refused();
  // Eight characters are five bytes; 1, 3 or 6 more are not whole bytes.
  const rest = digits.length % 8;
  if (rest === 1 || rest === 3 || rest === 6) return refused();
  if (padding !== "" && padding.length !== (8 - rest) % 8) return refused();
  return { ok: true, secret: digits.toUpperCase() };
}

function refused(): TotpSecret {
  const reason =
    `The secret of an authenticator app is base32 (RFC 4648), ${charactersMin} to ` +
    `${charactersMax} of the characters A-Z and 2-7 that make whole bytes.`;
  return { ok: false, reason };
}

/** 160 bits, as long as the digest (RFC 4226, section 4). */
const secretBytes = 20;

/** A new secret for an authenticator app: 32 characters of base32. */
export function createTotpSecret(random: RandomBytes): string {
  return base32(random(secretBytes), rfc4648);
}

/** Characters of names that an app is told: a QR code of more is too fine for cameras. */
export const appNameLimits = { issuer: 40, account: 80 } as const;

/** Whose authenticator app it is, and the secret of it. */
interface TotpAccount {
  /** The name of what the codes are for. */
  readonly issuer: string;
  /** The name of the account there. */
  readonly account: string;
  readonly secret: string;
}

/**
 * The URI by which an authenticator app takes a secret over (Key Uri Format of Google
 * Authenticator). What it leaves out is as everywhere: SHA-1, six digits, 30 seconds.
 */
export function otpauthURI({ issuer, account, secret }: TotpAccount): string {
  const by = inURI(issuer, appNameLimits.issuer);
  const whose = inURI(account, appNameLimits.account);
  return `otpauth://totp/${by}:${whose}?secret=${secret}&issuer=${by}`;
}

function inURI(name: string, charactersMax: number): string {
  const cut = Array.from(name).slice(0, charactersMax).join("");
  // A colon, even an encoded one, would end the name of the issuer.
  return encodeURIComponent(cut.replaceAll(":", " "));
}

/** Seconds for which a code is shown, and how many steps a clock may be off either way. */
const stepSeconds = 30;
const stepsOff = 1;

/**
 * The step of time that a code of six digits belongs to (RFC 6238: SHA-1, steps of 30 s), where it
 * is of now, of the step before or of the next; undefined for any other.
 */
export function totpStep(secret: string, code: string, nowMs: number): number | undefined {
  const now = Math.floor(nowMs / 1_000 / stepSeconds);
  const key = bytesOf(secret, rfc4648);
  const near = Array.from({ length: 2 * stepsOff + 1 }, (_, index) => now - stepsOff + index);
  return near.find((step) => isSame(Buffer.from(totpCode(key, step)), Buffer.from(code)));
}

/** The code of a step (RFC 4226, section 5.3). */
function totpCode(key: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", key).update(counter).digest();
  const offset = digest.readUInt8(digest.length - 1) & 0xf;
  const number = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, "0");
}
