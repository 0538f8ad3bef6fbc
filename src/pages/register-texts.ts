import type { Html } from "../text/html.ts";
import type { Notice } from "./notice.ts";

/** What is said to those who create an account themselves. */
export interface RegisterTexts {
  /** On the login page. */
  readonly offer: string;
  readonly title: string;
  readonly emailHint: string;
  /** Which domains an address may be of. */
  domains(domains: Html): Html;
  /** Of an address of another one. */
  readonly wrongDomain: string;
  readonly tooMany: string;
  readonly submit: string;
  readonly code: {
    readonly title: string;
    ask(email: Html): Html;
    /** Whether there is a code in the mail or not. */
    readonly inMail: string;
    /** What to do when the right code is refused. */
    readonly help: string;
    readonly again: string;
    readonly other: string;
  };
  readonly way: {
    readonly title: string;
    readonly ask: string;
    /** Of a user name that is another address. */
    readonly address: string;
    readonly submit: string;
    readonly passkey: string;
    /** From the passkey back to the password. */
    readonly other: string;
    readonly needsScript: string;
    readonly unsupported: string;
  };
  /** Where an account with the address was made meanwhile. */
  readonly held: Notice;
  /** Where the code was used up, or its time is over. */
  readonly over: Notice;
  readonly beginAgain: string;
}
