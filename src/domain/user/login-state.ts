import type { Envelope } from "../../event.ts";
import type { Nothing } from "../noun.ts";
import { unknownEvent } from "../noun.ts";

/** The events of a person who logs in, or of somebody who tries to. */
export type LoginEvent =
  | { readonly type: "user.human.login.failed"; readonly payload: { readonly factor: Factor } }
  | { readonly type: "user.human.locked"; readonly payload: { readonly untilMs: number } }
  | { readonly type: "user.human.unlocked"; readonly payload: Nothing }
  | { readonly type: "user.human.otp.used"; readonly payload: { readonly step: number } }
  | { readonly type: "user.human.session.begun"; readonly payload: NewSession }
  | {
      readonly type: "user.human.session.ended";
      readonly payload: Pick<NewSession, "sessionId">;
    }
  | {
      readonly type: "user.human.token.reused";
      readonly payload: { readonly clientId: string; readonly kind: "code" | "refresh" };
    };

/** The happening behind each of them: see `Noun.events`. */
export const loginEvents: { readonly [type in LoginEvent["type"]]: string } = {
  "user.human.login.failed": "A wrong password or one-time code was given",
  "user.human.locked": "So many were wrong that browsers which nobody knows are not let in",
  "user.human.unlocked": "They are let in again",
  "user.human.otp.used": "A one-time code was used: it and those before it are good no more",
  "user.human.session.begun": "The person logged in; a session that was there already goes on",
  "user.human.session.ended": "The person logged out, or the session was ended from elsewhere",
  "user.human.token.reused":
    "A code or refresh token was used twice: all that came from its login was revoked",
};

/** What a person shows to be let in. */
export type Factor = "password" | "otp";

/** A browser in which a person is logged in. */
export interface NewSession {
  readonly sessionId: string;
  /** The application that was logged in to. */
  readonly clientId: string;
  readonly factors: readonly Factor[];
  /** A hash of what tells the browser from others, for as long as it keeps it. */
  readonly browser: string;
}

/** A session with when it began last (Unix milliseconds). */
export interface Session extends Omit<NewSession, "browser"> {
  readonly begunMs: number;
}

/** What is remembered of how a person logs in. */
export interface LoginState {
  /** Wrong passwords and codes since the last login or lock. */
  readonly failures: number;
  readonly lockedUntilMs?: number;
  /** When failures were counted anew last (Unix milliseconds). */
  readonly sinceMs: number;
  /** The step of the newest one-time code that was used. */
  readonly otpStep?: number;
  readonly sessions: readonly Session[];
  /** Hashes of the browsers that the person logged in with, the latest last. */
  readonly browsers: readonly string[];
}

/** The bounds on logging in as one person, and from one address. */
export const loginLimits = {
  /** Wrong passwords and codes after which unknown browsers are locked out. */
  failures: 10,
  /** Milliseconds for which they are, and within which tries are counted. */
  lockedMs: 15 * 60_000,
  /** Passwords and codes that may be tried from one address in that time. */
  triesOfAddress: 100,
  /** Sessions of one person: the oldest of more has ended. */
  sessions: 50,
  /** Milliseconds after its login at which a session has ended. */
  sessionMs: 14 * 24 * 60 * 60_000,
  /** Browsers of one person that are known again. */
  browsers: 20,
} as const;

const none: LoginState = { failures: 0, sinceMs: 0, sessions: [], browsers: [] };

/** Whether browsers that nobody knows are locked out. */
export function isLocked(login: LoginState | undefined, nowMs: number): boolean {
  return login?.lockedUntilMs !== undefined && nowMs < login.lockedUntilMs;
}

/** What is remembered after an event. */
export function evolveLogin(login: LoginState = none, event: LoginEvent & Envelope): LoginState {
  switch (event.type) {
    case "user.human.login.failed":
      return { ...login, failures: login.failures + 1 };
    case "user.human.locked":
      return { ...anew(login, event), lockedUntilMs: event.payload.untilMs };
    case "user.human.unlocked":
      return anew(login, event);
    case "user.human.otp.used":
      return { ...login, otpStep: event.payload.step };
    case "user.human.session.begun": {
      const { browser, ...session } = event.payload;
      const { timeMs: begunMs } = event;
      const others = login.sessions.filter(
        (one) =>
          one.sessionId !== session.sessionId && one.begunMs > begunMs - loginLimits.sessionMs,
      );
      const known = login.browsers.filter((one) => one !== browser);
      return {
        ...anew(login, event),
        sessions: [...others, { ...session, begunMs }].slice(-loginLimits.sessions),
        browsers: [...known, browser].slice(-loginLimits.browsers),
      };
    }
    case "user.human.session.ended": {
      const { sessionId } = event.payload;
      return { ...login, sessions: login.sessions.filter((one) => one.sessionId !== sessionId) };
    }
    case "user.human.token.reused":
      return login;
    default:
      return unknownEvent(event);
  }
}

/** The same, but that failures count from here on. */
function anew(login: LoginState, { timeMs: sinceMs }: Envelope): LoginState {
  const { lockedUntilMs: _ended, ...rest } = login;
  return { ...rest, failures: 0, sinceMs };
}
