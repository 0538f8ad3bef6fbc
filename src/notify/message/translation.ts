import type { NoticeAbout } from "../../domain/user/state/notice.ts";

/** Whom a mail is for. */
export interface Whose {
  readonly name: string;
  /** The name of the organization that the person belongs to. */
  readonly organization: string;
}

/** The values in a mail whose link leads to a page. */
export interface Linked extends Whose {
  readonly link: string;
  readonly expirationMs: number;
}

/** The same of a mail with a code to be typed besides. */
export interface Coded extends Linked {
  readonly code: string;
}

/** What a mail says: its subject, and its text, in which the link stands on a line of its own. */
export interface MailTexts<Values extends Linked> {
  readonly subject: string;
  text(values: Values & { readonly until: string }): string;
}

/** The values in what a notice says. */
export interface Happened extends Pick<Whose, "organization"> {
  /** When it happened (UTC). */
  readonly time: string;
  /** When it will happen (UTC), where it is still to come. */
  readonly due: string;
}

/** What the mails of notices say: a greeting, what happened, what to do, and then the link. */
export interface NoticeTexts {
  greet(name: string): string;
  readonly about: {
    readonly [about in NoticeAbout]: { readonly subject: string; text(values: Happened): string };
  };
  /** What to do where somebody else did it, with the link that follows. */
  readonly ifNotYou: string;
  /** The same where the account is to be erased: until then that can be withdrawn. */
  readonly withdraw: string;
  /** What leads to the page of the account. */
  readonly button: string;
}

/** The values in the mail with which somebody registers: none of them is by who asks. */
export interface Invited extends Pick<Coded, "organization" | "code"> {
  readonly until: string;
}

/** What messages say in one language. */
export interface Texts {
  /** To a new account. */
  readonly initialization: MailTexts<Coded>;
  /** To verify an e-mail address that somebody else has given the person. */
  readonly email: MailTexts<Coded>;
  /** To prove an address that is requested on the account page: nobody need have it yet. */
  readonly emailRequest: MailTexts<Coded>;
  /** To replace a forgotten password. */
  readonly reset: MailTexts<Linked>;
  /** To register a passkey. */
  readonly passkey: MailTexts<Linked>;
  /** To register: another person may have asked for it. */
  readonly registration: { readonly subject: string; text(values: Invited): string };
  /** To somebody with an account, with whose address somebody tried to register. */
  readonly registered: {
    readonly subject: string;
    text(values: Pick<Linked, "organization" | "link">): string;
    /** What leads to the page of the account. */
    readonly button: string;
  };
  /** To tell of a change. */
  readonly notice: NoticeTexts;
  /** At the end of each mail: why the person gets it. */
  why(organization: string): string;
  /** To verify a phone number, with the host of the service; SMS has no subject. */
  readonly phone: { readonly subject: string; text(code: string, host: string): string };
}
