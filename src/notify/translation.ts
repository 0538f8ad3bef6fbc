/** The values in a mail whose link leads to a page. */
export interface Linked {
  readonly name: string;
  /** The name of the organization that the person belongs to. */
  readonly organization: string;
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

/** What messages say in one language. */
export interface Texts {
  /** For dates. */
  readonly locale: string;
  /** To a new account. */
  readonly initialization: MailTexts<Coded>;
  /** To verify another e-mail address. */
  readonly email: MailTexts<Coded>;
  /** To replace a forgotten password. */
  readonly reset: MailTexts<Linked>;
  /** To register a passkey. */
  readonly passkey: MailTexts<Linked>;
  /** To verify a phone number; SMS has no subject. */
  readonly phone: { readonly subject: string; text(code: string): string };
}
