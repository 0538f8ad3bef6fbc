/** A page that says something and asks nothing. */
export interface Notice {
  readonly title: string;
  readonly paragraphs: readonly string[];
}

/** A link that counts no longer. */
export type OverLink =
  /** A code of the initialization mail that does not count, or no longer. */
  | "code"
  /** The same for a link with which a passkey is created. */
  | "passkeyCode"
  /** The same for a link by which an e-mail address is verified. */
  | "emailCode"
  /** The same for a link by which a forgotten password is replaced. */
  | "resetCode"
  /** The same for a link by which a person becomes an owner. */
  | "ownerLink";

/** What a page may say that something is wrong with. */
export type Problem =
  | OverLink
  /** The link lacks a part, or a part of it is nothing that was ever in a link. */
  | "link"
  /** No page has this address. */
  | "missing"
  /** What the browser sent is no form of ours. */
  | "form"
  /** It may work later. */
  | "later"
  /** A defect of the service. */
  | "fault";
