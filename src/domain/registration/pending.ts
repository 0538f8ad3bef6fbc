import type { Language } from "../../text/language.ts";

/** The bounds on registering. */
export const registerLimits = {
  /** Milliseconds for which a code is valid, and from the right code to the end. */
  codeMs: 30 * 60_000,
  /** Wrong codes after which the code is void. */
  failures: 5,
  /** User names other than the e-mail address that somebody may try, taken or not. */
  names: 10,
  /** Times that somebody may ask from one address within `asksMs`. */
  asksOfAddress: 50,
  /** The same from a /48 of IPv6. */
  asksOfSite: 200,
  /** The same where no address is known. */
  asksOfMachine: 1_000,
  asksMs: 60 * 60_000,
  /** Mails to one e-mail address within `mailsMs`, for all who ask together. */
  mailsOfMailbox: 5,
  /** Times that anybody may ask within `mailsMs`: so many e-mail addresses are counted at most. */
  asks: 10_000,
  mailsMs: 24 * 60 * 60_000,
  /** Users of an organization with one e-mail address who are looked at, the oldest first. */
  users: 100,
} as const;

/** Who somebody says to be who registers. */
export interface Registrant {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
}

/** A registration that waits for its code, or for a password or a passkey, beside the log. */
export interface PendingRegistration extends Registrant {
  /** Of its mail. */
  readonly id: string;
  /** Whom it makes, unless an account is taken over. */
  readonly userId: string;
  readonly organization: string;
  readonly language: Language;
  /** What the mail says, unless somebody has the address: then nobody is told it. */
  readonly code: string;
  /** Whether the right code was shown. */
  readonly isProven: boolean;
  /** Unix milliseconds. */
  readonly expirationMs: number;
}

/** By what the mail of a registration finds what waits. */
export function registrationAlias(id: string): string {
  return `Registration:${id}`;
}

/** The place that what waits is sealed to. */
export function registrationField(id: string) {
  return { stream: `registration-${id}`, field: "pending" };
}

/** What is kept: the id, by which the rest opens. */
export interface KeptRegistration {
  readonly id: string;
  /** A `PendingRegistration` as JSON, sealed. */
  readonly sealed: string;
}
