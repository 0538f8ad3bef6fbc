import type { EventsOf, Nothing } from "../../noun.ts";
import type { Factor } from "./factor.ts";
import type { PasskeyUse, ShownCredentials, StayingSessions } from "./factor-traits.ts";
import type { Via } from "./made.ts";

/** The events of a person who logs in, or of somebody who tries to. */
export type LoginEvent = EventsOf<Payloads>;

interface Payloads {
  readonly "user.human.login.failed": FailedLogin;
  readonly "user.human.locked": { readonly untilMs: number } & Where;
  readonly "user.human.unlocked": Nothing;
  readonly "user.human.otp.used": { readonly step: number };
  readonly "user.human.session.begun": NewSession & Via;
  readonly "user.human.session.joined": JoinedSession;
  readonly "user.human.session.ended": Pick<NewSession, "sessionId">;
  readonly "user.human.session.terminated": Pick<NewSession, "sessionId">;
  readonly "user.human.sessions.terminated": TerminatedSessions;
  readonly "user.human.sessions.ended": TerminatedSessions & StayingSessions;
  readonly "user.human.passwordless.token.refused": PasskeyUse;
  readonly "user.human.consent.given": Consent & Via;
  readonly "user.human.consent.revoked": Pick<Consent, "clientId">;
  readonly "user.human.logins.forgotten": ForgottenLogins;
  readonly "user.human.token.revoked": EndedGrant;
  readonly "user.human.token.reused": EndedGrant & { readonly kind: "code" | "refresh" };
}

/** The happening behind each of them: see `Noun.events`. */
export const loginEvents: { readonly [type in LoginEvent["type"]]: string } = {
  "user.human.login.failed": "A wrong password, one-time code or recovery code was entered",
  "user.human.locked": "Too many were wrong: unknown browsers are locked out",
  "user.human.unlocked": "The lock of unknown browsers ended",
  "user.human.otp.used": "A one-time code was used; it and all earlier codes are no longer valid",
  "user.human.session.begun": "The person logged in; an existing session continues",
  "user.human.session.joined":
    "The session was used for an application that wants to be notified when it ends",
  "user.human.session.ended": "The person logged out, or ended the session from elsewhere",
  "user.human.session.terminated":
    "An administrator ended the session and all tokens that came from its login",
  "user.human.sessions.terminated":
    "An administrator ended all sessions, tokens, open logins and known browsers",
  "user.human.sessions.ended":
    "The person changed the password or the e-mail address: sessions, tokens, open logins and known browsers ended, but for the session of the change",
  "user.human.passwordless.token.refused":
    "A passkey was refused because its counter did not increase: it may have been copied",
  "user.human.consent.given": "The person allowed an application to act for them in this service",
  "user.human.consent.revoked": "The consent for the application ended",
  "user.human.logins.forgotten":
    "What earlier events said of logins, failures and sessions was erased, as they are kept no longer",
  "user.human.token.revoked":
    "An application revoked a token; all tokens of its login were revoked",
  "user.human.token.reused":
    "A code or refresh token was used twice; all tokens of its login were revoked",
};

/** From where something was done: what events keep of it. */
export interface Where {
  /** The network around the address, in CIDR: a /24, or of IPv6 a /48. Left out, none is kept. */
  readonly network?: string;
}

/** What was wrong as somebody tried to log in. */
export interface FailedLogin extends Where {
  readonly factor: Factor;
}

/** A browser in which a person is logged in. */
export interface NewSession extends Where, ShownCredentials {
  readonly sessionId: string;
  /** The application that was logged in to. */
  readonly clientId: string;
  readonly factors: readonly Factor[];
  /** Milliseconds after which it ends; left out, `loginLimits.sessionMs`. */
  readonly lifetimeMs?: number;
  /** A hash of what tells the browser from others, for as long as it keeps it. */
  readonly browser: string;
}

/** What is erased of logins, and what they had led to by then: nobody can make that anew. */
export interface ForgottenLogins {
  /** The version up to which it is erased, of these types. */
  readonly through: number;
  readonly types: readonly string[];
  /** A `LoginState`; left out where the user was removed, or had none. */
  readonly login?: object;
  /** The counters of passkeys, by credential id. */
  readonly counters: { readonly [credentialId: string]: number };
  /** When each was used last (Unix milliseconds); not there for one that was not. */
  readonly used?: { readonly [credentialId: string]: number };
}

/** What ended with all sessions of a person. */
export interface TerminatedSessions {
  /** How many sessions had not ended before. */
  readonly count: number;
}

/** A session in which somebody came to an application that is told when it has ended. */
export type JoinedSession = Pick<NewSession, "sessionId" | "clientId">;

/** That an application may act for a person, who was asked; each time has another id. */
export interface Consent {
  readonly clientId: string;
  readonly consentId: string;
  /** Where the person was told that the answer goes, by `siteOf`; events of before have none. */
  readonly sites?: readonly string[];
}

/** What a person granted an application by logging in to it, with all that came from it. */
export interface EndedGrant extends Pick<Consent, "clientId"> {
  /** The SHA-256 of its id in hexadecimal; events of before have none. */
  readonly grant?: string;
}
