import { accept, reject } from "../decision.ts";
import type { UserDecision } from "./acting.ts";
import type { HumanState } from "./human-state.ts";
import { type Factor, isLocked, loginLimits, type NewSession } from "./login-state.ts";
import type { UserState } from "./user.ts";

/** Somebody who wants to be let in as a person. */
export interface Visitor {
  /** A hash of what the browser holds that this person logged in with; undefined for a new one. */
  readonly browser?: string;
}

/**
 * The person, where somebody may try to log in as it. A lock stops unknown browsers only, or
 * whoever guesses could keep the person out.
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
  factor: Factor,
  nowMs: number,
): UserDecision {
  const human = user?.isInactive ? undefined : user?.human;
  if (human === undefined || isLocked(human.login, nowMs)) return accept({});
  const failures = (human.login?.failures ?? 0) + 1;
  const untilMs = nowMs + loginLimits.lockedMs;
  return accept({
    user: [
      { type: "user.human.login.failed", payload: { factor } },
      ...(failures < loginLimits.failures
        ? []
        : [{ type: "user.human.locked", payload: { untilMs } } as const]),
    ],
  });
}

/** Keeps the same password by another hash, unless another password was set meanwhile. */
export function rehashPassword(
  user: UserState | undefined,
  { from, to }: { readonly from: string; readonly to: string },
): UserDecision {
  if (user?.human?.passwordHash !== from) return accept({});
  return accept({
    user: [{ type: "user.human.password.rehashed", payload: { passwordHash: to } }],
  });
}

/** Uses a one-time code up: it and those before it are good no more. */
export function useOTP(user: UserState | undefined, step: number): UserDecision {
  const human = user?.isInactive ? undefined : user?.human;
  if (human?.otpSecret === undefined) return reject("UNAUTHENTICATED");
  if (step <= (human.login?.otpStep ?? -1)) return reject("UNAUTHENTICATED");
  return accept({ user: [{ type: "user.human.otp.used", payload: { step } }] });
}

/** Sets another password in place of one that the person has just given. */
export function changeOwnPassword(
  user: UserState | undefined,
  { from, to }: { readonly from: string; readonly to: string },
): UserDecision {
  if (user?.isInactive || user?.human?.passwordHash !== from) return reject("UNAUTHENTICATED");
  return accept({ user: [{ type: "user.human.password.changed", payload: { passwordHash: to } }] });
}

/** Begins a session of a person who has shown all that was asked for, or goes on with one. */
export function beginSession(user: UserState | undefined, session: NewSession): UserDecision {
  if (user?.human === undefined || user.isInactive) return reject("UNAUTHENTICATED");
  return accept({ user: [{ type: "user.human.session.begun", payload: session }] });
}

/** Ends a session; one that is not there is nothing. */
export function endSession(
  user: UserState | undefined,
  { sessionId }: Pick<NewSession, "sessionId">,
): UserDecision {
  if (!hasSession(user, sessionId)) return accept({});
  return accept({ user: [{ type: "user.human.session.ended", payload: { sessionId } }] });
}

/** Whether the user is in use and the session has not ended. */
export function hasSession(user: UserState | undefined, sessionId: string): boolean {
  if (user === undefined || user.isInactive) return false;
  return user.human?.login?.sessions.some((one) => one.sessionId === sessionId) ?? false;
}

/** Records that a token was used twice, by which all that came from its login has ended. */
export function reuseToken(
  user: UserState | undefined,
  payload: { readonly clientId: string; readonly kind: "code" | "refresh" },
): UserDecision {
  if (user?.human === undefined) return accept({});
  return accept({ user: [{ type: "user.human.token.reused", payload }] });
}
