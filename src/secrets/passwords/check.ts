/** Why a text is not accepted as a hash: a sentence that says what is, without any part of it. */
export interface Refused {
  readonly ok: false;
  readonly reason: string;
}

/** The outcome of reading an encoded hash of one family. Pure, and within that family's caps. */
export type ReadHash<Hash> = { readonly ok: true; readonly hash: Hash } | Refused;

export function refused(reason: string): Refused {
  return { ok: false, reason };
}

/** A whole number as hashes write it, digits without leading zeros, from min to max. */
export function integer(text: string | undefined, min: number, max: number): number | undefined {
  if (text === undefined || !/^(?:0|[1-9]\d{0,9})$/.test(text)) return undefined;
  const number = Number(text);
  return number >= min && number <= max ? number : undefined;
}

/**
 * The bytes of standard base64 (RFC 4648, section 4), with or without its padding, `.` for `+` as
 * passlib writes it; undefined where it is anything else, surplus bits included, and where the
 * bytes are fewer or more than permitted.
 */
export function base64(text: string | undefined, min: number, max: number): Buffer | undefined {
  if (text === undefined) return undefined;
  const digits = text.replaceAll(".", "+").replace(/={1,2}$/, "");
  if (digits.length !== text.length && text.length % 4 !== 0) return undefined;
  const bytes = Buffer.from(digits, "base64");
  if (bytes.toString("base64").replace(/=+$/, "") !== digits) return undefined;
  return bytes.length >= min && bytes.length <= max ? bytes : undefined;
}
