import type { Envelope } from "../../../event.ts";
import type { EventsOf } from "../../noun.ts";
import type { Credential } from "./credential-name.ts";

/** What one factor is, where a person has `Held` for it, and `Events` change that. */
export interface FactorTraits<Held, Events = object> {
  /** Where it comes in a login: what comes instead replaces a second, and one alone is two. */
  readonly comes: "first" | "second" | "instead" | "alone";
  /** Authentication methods, as RFC 8176 names them. */
  readonly amr: readonly string[];
  /** How many wrong tries one counts for. */
  readonly weight: number;
  /** Set where a lock lets it through, and so goes on when somebody logs in with it. */
  readonly isPast?: true;
  /** Set where wrong ones make locks longer: what is short is guessed otherwise. */
  readonly lengthens?: true;
  /** Whether the person has to show it behind the first; left out, nobody has to. */
  isNeeded?(human: Held): boolean;
  /** Whether what was shown still lets the person in; left out, it does. */
  isStill?(human: Held, shown: ShownBefore): boolean;
  /** Whether this is the credential that was shown for the session; left out, none is. */
  isOf?(credential: Credential, session: ShownCredentials): boolean;
  /** The happening behind each of its events, as `Noun.events` has it, and the person after it. */
  readonly events: {
    readonly [Type in keyof Events]: readonly [
      happening: string,
      evolve: (human: Held, event: EventsOf<Pick<Events, Type>> & Envelope) => Held,
    ];
  };
  /** The types of those of which a person may cause `factorsOfDay` in a day. */
  readonly counted: readonly string[];
  /** Fields of events and of `Held` with what is sealed or hashed: see `Noun.secrets`. */
  readonly secrets: readonly string[];
  /** The same person without its codes that a page showed once; left out, there are none. */
  withoutCodes?<State extends Held>(human: State): State;
}

/** What somebody has shown a while before. */
export interface ShownBefore extends Pick<ShownCredentials, "external"> {
  /** Whether the password that was shown is the one with this hash. */
  isPassword(hash: string): boolean;
}

/** Which credential was shown, where a person may have several of a kind. */
export interface ShownCredentials {
  /** Left out where none was shown. */
  readonly passkey?: PasskeyUse;
  /** The account at an identity provider; left out where none was shown. */
  readonly external?: ShownAccount;
}

/** A passkey that was shown, and how often the authenticator says that it was used. */
export interface PasskeyUse {
  readonly credentialId: string;
  readonly counter: number;
}

/** An account at an identity provider: the id that the user has there. */
export interface ExternalAccount {
  readonly idpId: string;
  readonly externalUserId: string;
}

/** Such an account as it was shown. */
export interface ShownAccount extends ExternalAccount {
  /** When the provider had asked the person (Unix milliseconds); left out, it does not say. */
  readonly askedMs?: number;
}

/** Sessions that do not end with others. */
export interface StayingSessions {
  /** Ids; left out, none. */
  readonly sessions?: readonly string[];
}
