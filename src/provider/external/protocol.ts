import {
  type ClaimReading,
  type Identity,
  identityOf,
  type SaidClaims,
} from "../../domain/identity.ts";
import type { SignIn } from "../../domain/idp-sign-in.ts";
import { isTooDeep } from "../../domain/nesting.ts";
import type { Send } from "../../fetch/fetcher.ts";

/** A provider as a login asks it. */
export interface AskedProvider<Way extends SignIn = SignIn> {
  readonly id: string;
  /** The organization that owns it, in whose name URLs are asked. */
  readonly organization: string;
  /** How one logs in there. A client secret is plain here. */
  readonly signIn: Way;
}

/** What one request to a provider is known by; each is fresh for it. */
export interface AskSecrets {
  /** Names the request, in the browser too. */
  readonly state: string;
  /** What an ID token for the request has to repeat. */
  readonly nonce: string;
  /** The code verifier of PKCE (RFC 7636). */
  readonly verifier: string;
}

/** One request to a provider. */
export interface Ask<Way extends SignIn = SignIn> {
  readonly provider: AskedProvider<Way>;
  readonly secrets: AskSecrets;
  /** The address to which the provider sends the browser back. */
  readonly callback: string;
  /** Seconds that may have passed since it asked the person; left out, any may. */
  readonly maxAge?: number | undefined;
}

/** What protocols work with. */
export interface ProtocolParts {
  readonly send: Send;
  /** Unix milliseconds of the machine, with which others compare theirs. */
  readonly machineNow: () => number;
}

/** How a login asks a provider who somebody is, by one protocol. */
export interface Protocol<Way extends SignIn> {
  /** What is to be looked at without a person, in this order. */
  trials(ask: Ask<Way>): readonly Trial[];
  /** Where the browser goes. Rejects with `ExternalFailed`. */
  address(ask: Ask<Way>): Promise<URL>;
  /** Who it is, from the address at which the browser came back. Rejects with `ExternalFailed`. */
  identify(ask: Ask<Way>, came: URL): Promise<Identified>;
}

/** What was found at a provider in one step, and what to change; empty where that is nothing. */
export interface TrialStep {
  readonly name: "discovery" | "keys" | "client" | "address";
  readonly ok: boolean;
  readonly found: string;
  readonly advice: string;
}

/** Who somebody is at a provider, and what it has said of that. */
export interface Identified {
  readonly identity: Identity;
  readonly claims: SaidClaims;
  /** Left out where there are none; nothing keeps them. */
  readonly tokens?: ProviderTokens;
}

/** What a provider lets its client do; for actions of this login alone. */
export interface ProviderTokens {
  readonly accessToken?: string;
  readonly refreshToken?: string;
  readonly idToken?: string;
}

/** Who somebody is by claims that these have said. Throws what makes them unusable. */
export function identifiedBy(
  said: string,
  claims: SaidClaims,
  reading: ClaimReading,
): Pick<Identified, "identity" | "claims"> {
  if (isTooDeep(claims)) throw new ExternalFailed("UNUSABLE", `${said} is nested too deep`);
  const identity = identityOf(claims, reading);
  if (identity !== undefined) return { identity, claims };
  throw new ExternalFailed("UNUSABLE", `${said} does not say who somebody is`);
}

/**
 * Why no login comes of a request to a provider:
 *
 * - `DENIED`: the person, or the provider, did not want it;
 * - `UNREACHABLE`: the provider did not answer;
 * - `UNUSABLE`: what it answered does not prove who somebody is;
 * - `STALE`: it does not say that it asked the person anew.
 */
export type ExternalReason = "DENIED" | "UNREACHABLE" | "UNUSABLE" | "STALE";

/** No login comes of a request to a provider; the message is for the log, and repeats no answer. */
export class ExternalFailed extends Error {
  readonly reason: ExternalReason;

  constructor(reason: ExternalReason, message: string) {
    super(message);
    this.name = "ExternalFailed";
    this.reason = reason;
  }
}

/** One step of a trial. */
export interface Trial {
  readonly name: TrialStep["name"];
  /** What was found. Rejects with `ExternalFailed` where a login would fail by it. */
  run(): Promise<string>;
  /** What to change where what it answers proves nothing. */
  readonly advice: string;
}
