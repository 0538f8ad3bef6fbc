import { askToTell, type LogoutEvent } from "../../logout.ts";
import { loginLimits } from "./login-limits.ts";
import type { Session } from "./login-state.ts";
import type { UserState } from "./user.ts";

/** The sessions of a user in use that have not ended, the latest login first. */
export function sessionsOf(user: UserState | undefined, nowMs: number): readonly Session[] {
  const sessions = user?.isInactive ? undefined : user?.human?.login?.sessions;
  const isOn = ({ begunMs, lifetimeMs = loginLimits.sessionMs }: Session) =>
    begunMs > nowMs - lifetimeMs;
  return (sessions ?? []).filter(isOn).toReversed();
}

/** The session, where the user is in use and it has not ended. */
export function sessionOf(
  user: UserState | undefined,
  sessionId: string,
  nowMs: number,
): Session | undefined {
  return sessionsOf(user, nowMs).find((one) => one.sessionId === sessionId);
}

/**
 * When somebody last proved who it is (Unix milliseconds). A provider may lead people back whom it
 * has not asked: a login by it alone counts from when it says that it did, else from no time.
 */
export function provenMs({
  factors,
  external,
  begunMs,
}: Pick<Session, "factors" | "external" | "begunMs">): number {
  const isElsewhere = factors.every((factor) => factor === "external");
  return isElsewhere ? Math.min(external?.askedMs ?? 0, begunMs) : begunMs;
}

/** Whether all that came from the login of a session has ended with it. */
export function isTerminated(user: UserState | undefined, sessionId: string): boolean {
  return user?.human?.login?.terminated?.includes(sessionId) ?? false;
}

/** Whether it is recorded that a grant has ended; `grant` is the hash of its id. */
export function hasEnded(user: UserState | undefined, grant: string): boolean {
  return user?.human?.login?.endedGrants?.includes(grant) ?? false;
}

/**
 * What tells applications that sessions of a user have ended: of each session, so that none grows
 * with their number.
 */
export function logoutsOf(
  userId: string,
  sessions: readonly Session[],
): readonly (readonly LogoutEvent[])[] {
  return sessions.flatMap(({ sessionId, told = [] }) =>
    told.length === 0 ? [] : [askToTell({ userId, sessionId, told })],
  );
}
