/** Why a fetch failed, as one stable word; the message of `FetchFailed` is for people. */
export type FetchReason =
  /** The text is no absolute URL, is too long, has a user or another scheme than https or http. */
  | "URL_INVALID"
  /** The host is or resolves to an address that is neither public nor allowed. */
  | "ADDRESS_NOT_ALLOWED"
  /** The name leads nowhere, nobody answers there, or TLS shows somebody else. */
  | "NOT_REACHED"
  /** It is broken off, no HTTP, too large, compressed, of another status, or leads on too far. */
  | "ANSWER_UNUSABLE"
  /** The time is over, the caller's signal fired, or as many fetches wait as may. */
  | "GIVEN_UP";

/**
 * The only error of a fetch. Its message says in whole sentences what was wrong, so that it can be
 * shown to the caller who gave the URL: it never holds what a server sent beyond a status and a
 * media type, nor where names or redirects lead, since that may be inside the operator's network.
 */
export class FetchFailed extends Error {
  override readonly name = "FetchFailed";
  readonly reason: FetchReason;

  constructor(reason: FetchReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
