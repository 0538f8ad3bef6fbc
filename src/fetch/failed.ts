/** Why a fetch failed, as one stable word; the message of `FetchFailed` is for people. */
export type FetchReason =
  /** The text is no absolute URL, is too long, or carries a user name or password. */
  | "URL_INVALID"
  | "SCHEME_NOT_ALLOWED"
  /** The host is or resolves to an address that is neither public nor allowed. */
  | "ADDRESS_NOT_ALLOWED"
  | "NAME_NOT_RESOLVED"
  | "CONNECTION_FAILED"
  | "TLS_FAILED"
  | "TIMEOUT"
  /** The caller's signal fired. */
  | "ABORTED"
  /** As many fetches wait for their turn as may. */
  | "TOO_MANY_FETCHES"
  | "TOO_MANY_REDIRECTS"
  /** A redirect names no place, or one that is no URL as above or has another scheme. */
  | "REDIRECT_INVALID"
  /** The answer has a status other than 200. */
  | "STATUS"
  /** What came is not HTTP, its header fields are too large, or it comes in too many pieces. */
  | "RESPONSE_INVALID"
  | "BODY_TOO_LARGE"
  /** The body is compressed although it was asked for as it is. */
  | "ENCODING_NOT_ALLOWED";

/**
 * The only error of a fetch. Its message says in whole sentences what was wrong, so that it can be
 * shown to whoever gave the URL: it never holds what a server sent beyond a status and a media
 * type, nor where names or redirects lead, since that may be inside the operator's network.
 */
export class FetchFailed extends Error {
  override readonly name = "FetchFailed";
  readonly reason: FetchReason;

  constructor(reason: FetchReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
