import type { AccountPart } from "./account-parts.ts";
import type { Notice } from "./notice.ts";

/** What somebody has shown to log in. */
export type ShownFactor = "password" | "otp" | "recovery" | "passkey";

/** What is said on the account page; dates come in the language of the page. */
export interface AccountTexts {
  /** What a login to it leads to. */
  readonly title: string;
  /** What the list of its parts is called. */
  readonly navigation: string;
  /** The titles of its parts, and what leads to them. */
  readonly parts: { readonly [part in AccountPart]: string };
  /** Of a login that came to nothing. */
  readonly notLoggedIn: Notice;
  readonly logIn: string;
  /** What leads there from other pages. */
  readonly open: string;
  readonly overview: {
    readonly userName: string;
    readonly name: string;
    readonly email: string;
    /** Of an address that nobody has verified. */
    readonly unverified: string;
    readonly organization: string;
    /** Where the person has asked to be erased. */
    erasing(date: string): string;
  };
  /** Where somebody is logged in. */
  readonly sessions: {
    readonly about: string;
    /** When and with what somebody logged in. */
    since(time: string, factors: string): string;
    /** When it was used last, behind that. */
    used(time: string): string;
    /** A browser on a system, each by its name. */
    program(browser: string, system: string): string;
    /** In place of the two where neither is known. */
    readonly unknownProgram: string;
    /** A network in CIDR, behind a comma. */
    network(network: string): string;
    readonly factors: { readonly [factor in ShownFactor]: string };
    /** In place of the name of an application that is no more. */
    readonly gone: string;
    readonly here: string;
    readonly endHere: string;
    readonly end: string;
    readonly endOthers: string;
    /** Above the applications that may act for somebody. */
    readonly consents: string;
    readonly withdraw: string;
  };
  readonly passkeys: {
    readonly about: string;
    readonly add: string;
    readonly unnamed: string;
    added(time: string): string;
    /** When it was shown last, behind that. */
    used(time: string): string;
    readonly remove: string;
    /** Of the one that cannot be removed. */
    readonly only: string;
    /** Where too many were begun. */
    readonly full: string;
  };
  readonly authenticator: {
    readonly about: string;
    readonly begin: string;
    readonly hasOne: string;
    codesLeft(count: number): string;
    readonly newCodes: string;
    readonly another: string;
    readonly remove: string;
    readonly scan: string;
    /** What the QR code is, to who cannot see it. */
    readonly qr: string;
    /** Before the secret. */
    readonly byHand: string;
    readonly confirm: string;
    readonly wrong: string;
    readonly restart: string;
    /** Above recovery codes. */
    readonly keep: string;
    readonly kept: string;
    readonly over: string;
    readonly tooMany: string;
  };
  readonly data: {
    readonly about: readonly string[];
    readonly submit: string;
  };
  readonly erasure: {
    readonly about: readonly string[];
    /** To one who holds roles, in place of the button. */
    readonly holdsRoles: string;
    readonly submit: string;
    /** Once it was asked for. */
    requested(date: string): string;
    readonly withdrawable: string;
    readonly withdraw: string;
  };
}
