import { accept, reject } from "../../decision.ts";
import type { EndingDecision, UserDecision } from "../state/acting.ts";
import { credentialsOf } from "../state/credential.ts";
import { hasRoom } from "../state/day.ts";
import { withdrawnWith } from "../state/email-request.ts";
import type { UserEvent } from "../state/event.ts";
import { factors } from "../state/factor.ts";
import { countOTP, type Guessed } from "../state/guessed.ts";
import type { EndedGrant, FailedLogin, JoinedSession, NewSession } from "../state/login-event.ts";
import { loginLimits } from "../state/login-limits.ts";
import { type HumanState, isLocked } from "../state/login-state.ts";
import { viaOf } from "../state/made.ts";
import { logoutsOf, sessionOf, sessionsOf } from "../state/session.ts";
import type { UserState } from "../state/user.ts";
import { recordOfDay } from "./day-record.ts";
import { usePasskey } from "./passkey.ts";
import { isShown } from "./rules.ts";

/** Somebody who wants to be let in as a person. */
export interface Visitor {
  /** A hash of what the browser holds that this person logged in with; undefined for a new one. */
  readonly browser?: string;
}

/**
 * The person, where somebody may try to log in as it. A lock stops unknown browsers only, or
 * a stranger who guesses could keep the person out.
 */
export function findLogin(
  user: UserState | undefined,
  { browser }: Visitor,
  nowMs: number,
): HumanState | undefined {
  if (user?.human === undefined || user.isInactive) return undefined;
  const isKnown = browser !== undefined && knowsBrowser(user.human, browser);
  return isLocked(user.human.login, nowMs) && !isKnown ? undefined : user.human;
}

/** Whether the person has logged in with this browser before. */
export function knowsBrowser({ login }: HumanState, browser: string): boolean {
  return login?.browsers.includes(browser) ?? false;
}

/**
 * Records that a password or a code was wrong, and locks the person out after the last one that is
 * allowed. While it is locked, nothing is recorded: the log is not for strangers to fill.
 */
export function failLogin(
  user: UserState | undefined,
  { factor, ...where }: FailedLogin,
  nowMs: number,
): UserDecision {
  const human = user?.isInactive ? undefined : user?.human;
  if (human === undefined || isLocked(human.login, nowMs)) return accept({});
  const failures = (human.login?.failures ?? 0) + factors[factor].weight;
  const untilMs = nowMs + lockMsOf({ ...human.login, ...countOTP(human.login, { factor }) });
  return accept({
    user: [
      { type: "user.human.login.failed", payload: { factor, ...where } },
      ...(failures < loginLimits.failures
        ? []
        : [{ type: "user.human.locked", payload: { untilMs, ...where } } as const]),
    ],
  });
}

/** Milliseconds of a lock: the more codes were wrong, the longer, or they would be guessed. */
function lockMsOf({ otpFailures = 0 }: Guessed): number {
  const locks = Math.max(1, Math.floor(otpFailures / loginLimits.failures));
  return Math.min(loginLimits.lockedMs * 2 ** (locks - 1), loginLimits.lockedMsMax);
}

/**
 * Begins a session of a person who has shown all that was asked for, or goes on with one. It
 * records who besides the person made what was shown: what comes of the session they may have.
 */
export function beginSession(
  user: UserState | undefined,
  { userId, ...session }: NewSession & { readonly userId: string },
  nowMs: number,
): UserDecision {
  if (user?.human === undefined || user.isInactive) return reject("UNAUTHENTICATED");
  // Of two who show a passkey at once, with the same count, one is a copy.
  const used =
    session.passkey === undefined ? accept({}) : usePasskey(user, session.passkey, nowMs);
  if (used.rejection !== undefined) return used;
  if (!mayLogInToday(user, nowMs)) return reject("UNAUTHENTICATED");
  const before = sessionOf(user, session.sessionId, nowMs);
  const shown = makersOf(user, session, nowMs);
  const made = { maker: userId, via: [...(before?.via ?? []), ...shown] };
  const payload = { ...session, ...viaOf(userId, made) };
  // Who comes by a link that others made takes the account over by it.
  const isFirst = session.external !== undefined && user.human.initialization !== undefined;
  return accept({
    user: [
      ...(isFirst ? [{ type: "user.human.initialized", payload: {} } as const] : []),
      { type: "user.human.session.begun", payload },
    ],
  });
}

/** All who had a hand in what somebody has shown, in whose name something is done by that. */
export function makersOf(
  user: UserState,
  shown: Parameters<typeof isShown>[1],
  nowMs: number,
): readonly string[] {
  return credentialsOf(user, nowMs)
    .filter((credential) => isShown(credential, shown))
    .flatMap(({ maker, via = [] }) => [maker, ...via]);
}

/** Whether the person may log in once more today: each login is an event, for ever. */
export function mayLogInToday(user: UserState, nowMs: number): boolean {
  return hasRoom(user.human?.login, "user.human.session.begun", nowMs);
}

/** Has an application told when the session has ended, in which somebody comes to it. */
export function joinSession(
  user: UserState | undefined,
  payload: JoinedSession,
  nowMs: number,
): UserDecision {
  const session = sessionOf(user, payload.sessionId, nowMs);
  const told = session?.told ?? [];
  const isThere = session === undefined || told.includes(payload.clientId);
  if (isThere || told.length >= loginLimits.told) return accept({});
  return accept({ user: [{ type: "user.human.session.joined", payload }] });
}

/** Sessions of a user that are to end. */
export interface Ended {
  readonly userId: string;
  readonly sessionIds: readonly string[];
  /** Whether the person ends them from another: then what was requested in them ends as well. */
  readonly isFromAnother?: boolean;
}

/** Ends sessions of the person, of which applications are told; those not there are nothing. */
export function endSessions(
  user: UserState | undefined,
  { userId, sessionIds, isFromAnother = false }: Ended,
  nowMs: number,
): EndingDecision {
  const found = sessionsOf(user, nowMs).filter(({ sessionId }) => sessionIds.includes(sessionId));
  if (found.length === 0) return accept({});
  const ended = found.map(({ sessionId }): UserEvent => {
    return { type: "user.human.session.ended", payload: { sessionId } };
  });
  const withdrawn = isFromAnother ? withdrawnWith(user?.human, sessionIds) : [];
  return accept({ user: [...ended, ...withdrawn], logouts: logoutsOf(userId, found) });
}

/**
 * Records that a token was used twice, by which all that came from its login has ended: that ends
 * even where no more is recorded of the person in the day.
 */
export function reuseToken(
  user: UserState | undefined,
  payload: EndedGrant & { readonly kind: "code" | "refresh" },
  nowMs: number,
): UserDecision {
  return recordOfDay(user, { type: "user.human.token.reused", payload }, nowMs);
}

/** The same of a token that an application gave back. */
export function revokeTokens(
  user: UserState | undefined,
  payload: EndedGrant,
  nowMs: number,
): UserDecision {
  return recordOfDay(user, { type: "user.human.token.revoked", payload }, nowMs);
}
