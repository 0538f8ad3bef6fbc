import type { NewEvent } from "../../../event.ts";
import { accept, reject } from "../../decision.ts";
import { type ActedUser, type Acting, type EndingDecision, refuseActing } from "../state/acting.ts";
import { withdrawnWith } from "../state/email-request.ts";
import type { UserEvent } from "../state/event.ts";
import { isTerminatedFull } from "../state/login-state.ts";
import { logoutsOf, sessionOf, sessionsOf } from "../state/session.ts";

/**
 * Ends a session of a person with all that came from its login, refresh tokens and a requested
 * e-mail address among them. Past the limit of these all sessions end, and the applications of all
 * are told.
 */
export function terminateSession(
  acting: Acting,
  { sessionId, ...acted }: ActedUser & { readonly sessionId: string },
  nowMs: number,
): EndingDecision {
  const refused = refuseActing(acting, acted);
  if (refused !== undefined) return refused;
  const { user } = acting;
  const session = sessionOf(user, sessionId, nowMs);
  if (session === undefined) return reject("SESSION_NOT_FOUND");
  const ended = isTerminatedFull(user?.human?.login) ? sessionsOf(user, nowMs) : [session];
  const terminated = { type: "user.human.session.terminated", payload: { sessionId } } as const;
  return accept({
    user: [terminated, ...withdrawnWith(user?.human, [sessionId])],
    logouts: logoutsOf(acted.userId, ended),
  });
}

/**
 * Ends all that came from logins of a person: also where no session is left, since refresh tokens
 * may have outlived theirs.
 */
export function terminateAllSessions(
  acting: Acting,
  acted: ActedUser,
  nowMs: number,
): EndingDecision {
  const refused = refuseActing(acting, acted);
  if (refused !== undefined) return refused;
  const { user } = acting;
  if (user?.human === undefined) {
    return reject("USER_NOT_HUMAN", "The user is a machine, which has no sessions.");
  }
  const sessions = sessionsOf(user, nowMs);
  return accept({
    user: [{ type: "user.human.sessions.terminated", payload: { count: sessions.length } }],
    logouts: logoutsOf(acted.userId, sessions),
  });
}

/** How many sessions had not ended before these events ended them all. */
export function terminatedBy(events: readonly NewEvent[]): number {
  const terminated = (events as readonly UserEvent[]).find(
    (event) => event.type === "user.human.sessions.terminated",
  );
  return terminated?.payload.count ?? 0;
}
