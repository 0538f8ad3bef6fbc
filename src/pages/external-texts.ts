import type { Html } from "../text/html.ts";
import type { Notice } from "./notice.ts";

/** Why a login by an identity provider comes to nothing. */
export type ExternalProblem =
  /** The person, or the provider, did not want it. */
  | "denied"
  /** The provider does not answer. */
  | "unreachable"
  /** What the provider answers proves nothing. */
  | "unusable"
  /** The provider does not say that it asked the person anew. */
  | "stale"
  /** Nobody here is linked to the account, and nobody can be. */
  | "unknown"
  /** The account could not be linked to the person who has logged in. */
  | "unlinked"
  /** Too many accounts were created from one network. */
  | "tooMany";

/** What is said to those who log in by an identity provider. */
export interface ExternalTexts {
  /** On the button that leads to a provider. */
  offer(provider: Html): Html;
  /** The same to Google, in the words that Google asks for. */
  readonly google: string;
  /** As whom somebody has come whom nobody here is linked to. */
  arrived(account: Html, provider: Html): Html;
  /** Where somebody may link the account or get one here. */
  readonly choose: {
    readonly title: string;
    readonly ask: string;
    readonly link: string;
  };
  /** Above the ways to log in, where the account is linked then. */
  linking(account: Html, provider: Html): Html;
  /** The way out of both. */
  readonly leave: string;
  /** Where somebody says the rest of an account. */
  readonly create: { readonly title: string; readonly ask: string };
  readonly problems: { readonly [problem in ExternalProblem]: Notice };
  /** What is said to somebody who tries a provider. */
  readonly trial: {
    readonly title: string;
    readonly name: string;
    /** In place of what an address is called, where the provider says that it is verified. */
    readonly verified: string;
    readonly nothing: string;
  };
  /** The way to the first page of the login. */
  readonly other: string;
}
