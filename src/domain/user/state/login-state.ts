import type { Envelope } from "../../../event.ts";
import {
  type CredentialEvent,
  type CredentialState,
  evolveCredential,
  withEndedLinks,
} from "./credential-state.ts";
import { countInDay, type Day, isCounted } from "./day.ts";
import { factors } from "./factor.ts";
import type { ShownAccount } from "./factor-traits.ts";
import { countOTP, forgiven, type Guessed } from "./guessed.ts";
import type { PersonEvent } from "./human-state.ts";
import type {
  Consent,
  EndedGrant,
  ForgottenLogins,
  JoinedSession,
  LoginEvent,
  NewSession,
} from "./login-event.ts";
import { loginLimits } from "./login-limits.ts";
import type { Via } from "./made.ts";
import { withCounter } from "./passkey.ts";
import { withoutPasswordCode } from "./password.ts";

/** A session with when it began last (Unix milliseconds), and who made what was shown for it. */
export interface Session
  extends Omit<NewSession, "browser" | "passkey" | "external" | "network">,
    Via {
  readonly begunMs: number;
  /** What is kept of the account that was shown; left out where none was. */
  readonly external?: Omit<ShownAccount, "externalUserId">;
  /** The client ids of the applications that are told when it has ended. */
  readonly told?: readonly string[];
}

/** What is remembered of how a person logs in. */
export interface LoginState extends Guessed {
  /** Wrong passwords and codes since the last login or lock. */
  readonly failures: number;
  readonly lockedUntilMs?: number;
  /** When failures were counted anew last (Unix milliseconds). */
  readonly sinceMs: number;
  /** The same of known browsers: logins and unlocking do it, and no lock. Left out, as others. */
  readonly knownSinceMs?: number;
  /** The step of the newest one-time code that was used. */
  readonly otpStep?: number;
  readonly sessions: readonly Session[];
  /** How often all that came from logins has ended at once; left out, never. */
  readonly resets?: number;
  /** The sessions of which nothing is to stay, the latest last; left out, none. */
  readonly terminated?: readonly string[];
  /** Hashes of the browsers that the person logged in with, the latest last. */
  readonly browsers: readonly string[];
  /** What the person let applications do, the latest last, and the co-makers. */
  readonly consents: readonly (Consent & Via)[];
  /** Hashes of the ids of grants that have ended by themselves, the latest last; else left out. */
  readonly endedGrants?: readonly string[];
  /** What counts against the bounds of a day; left out until there is some. */
  readonly day?: Day;
}

/** A person with all that is kept of it. */
export interface HumanState extends CredentialState {
  /** Left out until the first login, or the first that fails. */
  readonly login?: LoginState;
}

const none: LoginState = { failures: 0, sinceMs: 0, sessions: [], browsers: [], consents: [] };

/** Whether browsers that nobody knows are locked out. */
export function isLocked(login: LoginState | undefined, nowMs: number): boolean {
  return login?.lockedUntilMs !== undefined && nowMs < login.lockedUntilMs;
}

/** The state of a person after an event of its logins, of what it gets in with, or of itself. */
export function evolveLogin(
  human: HumanState,
  event: (LoginEvent | CredentialEvent | PersonEvent) & Envelope,
): HumanState {
  const login = { ...(human.login ?? none), ...countInDay(human.login?.day, event) };
  const after = (changed: LoginState): HumanState => ({ ...human, login: changed });
  switch (event.type) {
    case "user.human.login.failed": {
      const failures = login.failures + factors[event.payload.factor].weight;
      return after({ ...login, failures, ...countOTP(login, event.payload) });
    }
    case "user.human.locked":
      return after({ ...anew(login, event), lockedUntilMs: event.payload.untilMs });
    case "user.human.unlocked":
      return after({ ...forgiven(anew(login, event)), knownSinceMs: event.timeMs });
    case "user.human.otp.used":
      return after({ ...login, otpStep: event.payload.step });
    case "user.human.session.begun": {
      const { passkey } = event.payload;
      const begun = after(begin(login, event));
      return passkey === undefined ? begun : withCounter(begun, passkey, event.timeMs);
    }
    case "user.human.session.joined":
      return after(join(login, event.payload));
    case "user.human.session.ended": {
      const { sessionId } = event.payload;
      const sessions = login.sessions.filter((one) => one.sessionId !== sessionId);
      return after({ ...login, sessions });
    }
    case "user.human.session.terminated":
      return after(terminate(login, event.payload));
    case "user.human.sessions.terminated":
      return after(endLoginsAndBrowsers(login));
    case "user.human.sessions.ended":
      return withoutLogins(after(login), event.payload.sessions);
    case "user.human.externalidp.removed":
    case "user.human.otp.removed":
    case "user.human.passwordless.token.removed": {
      const removed = evolveCredential(withoutPasswordCode(after(login)), event);
      return withoutLogins(removed, event.payload.sessions);
    }
    case "user.human.logins.forgotten":
      return remembered(human, event.payload);
    case "user.human.consent.given":
      return after(withConsent(login, event.payload));
    case "user.human.consent.revoked":
      return after({ ...login, consents: consentsBut(login, event.payload) });
    case "user.human.token.revoked":
    case "user.human.token.reused":
      return after(endGrant(login, event.payload));
    case "user.human.passwordless.token.refused":
      return after(login);
    case "user.human.profile.changed":
    case "user.human.passwordless.token.renamed":
    case "user.human.email.requested": {
      const changed = evolveCredential(human, event);
      return human.login ? { ...changed, login } : changed;
    }
    case "user.human.password.changed": {
      const changed = evolveCredential(human, event);
      // What the holders of the old one let applications do ends.
      return human.login ? { ...changed, login: { ...login, consents: [] } } : changed;
    }
    case "user.human.password.set":
    case "user.human.password.reset": {
      const ended = endLoginsAndBrowsers(forgiven(anew(login, event)));
      return { ...withEndedLinks(evolveCredential(human, event), "mailed"), login: ended };
    }
    default:
      return evolveCredential(isCounted(event.type) ? after(login) : human, event);
  }
}

function begin(
  login: LoginState,
  event: Extract<LoginEvent, { readonly type: "user.human.session.begun" }> & Envelope,
): LoginState {
  const { browser, passkey: _key, external: there, network: _from, ...session } = event.payload;
  const { timeMs: begunMs } = event;
  const external = there === undefined ? {} : { external: withoutUser(there) };
  const others = login.sessions.filter(
    (one) => one.sessionId !== session.sessionId && one.begunMs > begunMs - loginLimits.sessionMs,
  );
  const before = login.sessions.find(({ sessionId }) => sessionId === session.sessionId);
  const told = before?.told === undefined ? {} : { told: before.told };
  const known = login.browsers.filter((one) => one !== browser);
  const shown = session.factors.map((factor) => factors[factor]);
  // A login that a lock lets through does not lift it: the lock keeps stopping strangers.
  const isPast = known.length < login.browsers.length || shown.some(({ isPast }) => isPast);
  const fresh = shown.some(({ lengthens }) => lengthens) ? forgiven(login) : login;
  return {
    ...(isPast ? { ...login, failures: 0 } : anew(fresh, event)),
    knownSinceMs: begunMs,
    sessions: [...others, { ...session, ...external, begunMs, ...told }].slice(
      -loginLimits.sessions,
    ),
    browsers: [...known, browser].slice(-loginLimits.browsers),
  };
}

function withoutUser({ externalUserId: _who, ...kept }: ShownAccount) {
  return kept;
}

function join(login: LoginState, { sessionId, clientId }: JoinedSession): LoginState {
  const sessions = login.sessions.map((one) =>
    one.sessionId === sessionId ? { ...one, told: [...(one.told ?? []), clientId] } : one,
  );
  return { ...login, sessions };
}

/** The person as somebody of whom no more is known than the payload says. */
function remembered(human: HumanState, { login, counters, used = {} }: ForgottenLogins) {
  const passkeys = human.passkeys.map((one) => {
    const { [one.credentialId]: counter = one.counter } = counters;
    const { [one.credentialId]: usedMs } = used;
    return { ...one, counter, ...(usedMs === undefined ? {} : { usedMs }) };
  });
  const { login: _before, ...rest } = human;
  return { ...rest, passkeys, ...(login === undefined ? {} : { login: login as LoginState }) };
}

function endGrant(login: LoginState, { grant }: EndedGrant): LoginState {
  if (grant === undefined) return login;
  const endedGrants = [...(login.endedGrants ?? []), grant];
  return { ...login, endedGrants: endedGrants.slice(-loginLimits.endedGrants) };
}

function withConsent(login: LoginState, consent: Consent): LoginState {
  const consents = [...consentsBut(login, consent), consent];
  return { ...login, consents: consents.slice(-loginLimits.consents) };
}

function consentsBut({ consents }: LoginState, { clientId }: Pick<Consent, "clientId">) {
  return consents.filter((one) => one.clientId !== clientId);
}

/**
 * The same of somebody who was given a role: no application was let do what comes with it, and who
 * is logged in by what others made must not gain by it. Those sessions stay that are named.
 */
export function raiseLogin(login: LoginState, stays: readonly string[] = []): LoginState {
  const sessions = login.sessions.filter(
    ({ via, sessionId }) => via === undefined || stays.includes(sessionId),
  );
  return { ...login, sessions, consents: [] };
}

/** The same of somebody of whose logins nothing is to stay. */
export function endLogins(login: LoginState): LoginState {
  // What is of before has ended by the number of resets.
  const { endedGrants: _grants, terminated: _sessions, ...rest } = login;
  return { ...rest, sessions: [], consents: [], resets: (login.resets ?? 0) + 1 };
}

/**
 * The same person, of whose logins nothing is to stay, nor is any browser known. Those sessions
 * stay that are named, without the tokens that came from them.
 */
export function withoutLogins(human: HumanState, stays: readonly string[] = []): HumanState {
  const before = human.login ?? none;
  const sessions = before.sessions.filter(({ sessionId }) => stays.includes(sessionId));
  return { ...human, login: { ...endLoginsAndBrowsers(before), sessions } };
}

function endLoginsAndBrowsers(login: LoginState): LoginState {
  return { ...endLogins(login), browsers: [] };
}

/** Whether all logins end with one more session that is ended by itself. */
export function isTerminatedFull(login: LoginState | undefined): boolean {
  return (login?.terminated?.length ?? 0) >= loginLimits.terminated;
}

/** The same without the session and all that came from its login: past the limit, all end. */
function terminate(login: LoginState, { sessionId }: Pick<NewSession, "sessionId">): LoginState {
  if (isTerminatedFull(login)) return endLoginsAndBrowsers(login);
  const { terminated = [], ...rest } = login;
  const sessions = rest.sessions.filter((one) => one.sessionId !== sessionId);
  return { ...rest, sessions, terminated: [...terminated, sessionId] };
}

/** The same, but that failures of strangers count from here on. */
function anew(login: LoginState, { timeMs: sinceMs }: Envelope): LoginState {
  const { lockedUntilMs: _ended, ...rest } = login;
  return { ...rest, failures: 0, sinceMs };
}
