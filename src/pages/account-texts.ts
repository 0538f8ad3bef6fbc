import type { Html } from "../text/html.ts";
import type { AccountPart, Activity } from "./account-parts.ts";
import type { Notice } from "./notice.ts";

/** The genders that people may say of themselves. */
export type OwnGender = "UNSPECIFIED" | "FEMALE" | "MALE" | "DIVERSE";

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
    readonly name: string;
    /** Of an address that nobody has verified. */
    readonly unverified: string;
    readonly organization: string;
    /** Where the person has asked to be erased. */
    erasing(date: string): string;
  };
  /** Where as much was changed as there is room for in a day. */
  readonly tooOften: string;
  /** Names and language. */
  readonly profile: {
    readonly about: string;
    readonly nickName: string;
    readonly displayName: string;
    readonly displayNameHint: string;
    readonly language: string;
    /** Where none is chosen. */
    readonly noLanguage: string;
    readonly gender: string;
    readonly genders: { readonly [gender in OwnGender]: string };
    readonly submit: string;
    readonly saved: string;
    /** Of a name that may be empty. */
    invalidLine(max: number): string;
    readonly invalidLanguage: string;
  };
  readonly password: {
    readonly about: readonly string[];
    /** To one who has no password yet. */
    readonly first: string;
    readonly notAllowed: string;
    readonly current: string;
    /** Of the current one; too many tries are refused in the same words. */
    readonly wrong: string;
    readonly submit: string;
    readonly submitFirst: string;
    readonly saved: string;
  };
  /** On the buttons that have a code sent to an address, or to a number. */
  readonly sendCode: string;
  readonly email: {
    readonly about: string;
    readonly current: string;
    readonly verified: string;
    readonly unverified: string;
    readonly label: string;
    /** Of the one that is there. */
    readonly same: string;
    /** Of one that waits for its code. */
    readonly requested: string;
    readonly askCode: string;
    readonly verify: string;
    readonly resend: string;
    readonly withdraw: string;
    /** What to do when the right code is refused. */
    readonly wrongCodeHelp: string;
  };
  readonly phone: {
    readonly about: string;
    readonly current: string;
    readonly none: string;
    readonly verified: string;
    readonly unverified: string;
    readonly label: string;
    readonly hint: string;
    readonly invalid: string;
    /** Of the one that is there. */
    readonly same: string;
    readonly askCode: string;
    readonly verify: string;
    readonly resend: string;
    readonly remove: string;
    readonly removed: string;
    readonly wrongCodeHelp: string;
    /** Where a code was sent less than half a minute ago. */
    readonly tooSoon: string;
    /** Once the daily limit of SMS is reached. */
    readonly tooMany: string;
  };
  /** Where somebody is logged in. */
  readonly sessions: {
    readonly about: string;
    /** When and with what somebody logged in. */
    since(time: Html, factors: string): Html;
    /** When it was used last, behind that. */
    used(time: Html): Html;
    /** A browser on a system, each by its name. */
    program(browser: string, system: string): string;
    /** In place of the two where neither is known. */
    readonly unknownProgram: string;
    /** A network in CIDR, behind a comma. */
    network(network: string): string;
    /** In place of the name of a removed application. */
    readonly gone: string;
    readonly here: string;
    readonly endHere: string;
    readonly end: string;
    readonly endOthers: string;
    /** Above the applications that may act for somebody. */
    readonly consents: string;
    readonly withdraw: string;
    /** What was just done. */
    readonly done: {
      readonly ended: string;
      readonly endedOthers: string;
      readonly withdrawn: string;
    };
  };
  readonly passkeys: {
    readonly about: string;
    readonly add: string;
    readonly unnamed: string;
    added(time: Html): Html;
    /** When it was shown last, behind that. */
    used(time: Html): Html;
    readonly remove: string;
    readonly rename: string;
    readonly name: string;
    /** Once one is removed, or renamed. */
    readonly removed: string;
    readonly renamed: string;
    /** Of the one that cannot be removed. */
    readonly only: string;
    /** Where too many were begun. */
    readonly full: string;
    tooMany(most: number): string;
  };
  readonly authenticator: {
    readonly about: string;
    readonly begin: string;
    readonly hasOne: string;
    codesLeft(count: number): string;
    readonly newCodes: string;
    readonly another: string;
    readonly remove: string;
    readonly removed: string;
    /** In place of a set-up that the rules do not allow. */
    readonly notAllowed: string;
    /** In place of a removal that the rules do not allow. */
    readonly forced: string;
    /** What another app or none brings with it. */
    readonly ends: string;
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
  /** Accounts elsewhere. */
  readonly links: {
    readonly about: string;
    readonly none: string;
    /** In place of the name of a removed provider. */
    readonly gone: string;
    readonly remove: string;
    readonly removed: string;
    /** Of the one that cannot be unlinked. */
    readonly only: string;
  };
  readonly activity: {
    readonly about: string;
    readonly none: string;
    readonly events: { readonly [activity in Activity]: string };
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
    readonly withdrawn: string;
  };
}
