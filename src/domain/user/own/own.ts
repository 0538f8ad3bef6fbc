import { type Refusal, reject } from "../../decision.ts";
import type { EndingDecision } from "../state/acting.ts";
import { type Counted, hasRoom } from "../state/day.ts";
import type { HumanState } from "../state/login-state.ts";
import { type Via, viaOf } from "../state/made.ts";
import { logoutsOf, sessionOf, sessionsOf } from "../state/session.ts";
import type { UserState } from "../state/user.ts";

/** A person who changes its own account, and the session in which it does. */
export interface Own {
  readonly userId: string;
  readonly sessionId: string;
}

/** What a person decides of itself on. */
export interface OwnState {
  readonly human: HumanState;
  /** Who made what the session was begun with: they have a hand in what comes of it. */
  readonly via: Via;
}

/**
 * Decides in the session of a person, where that has not ended. An account that somebody has yet to
 * take over is not changed: the mail for that may be on its way to another reader.
 */
export function asSelf<Events>(
  user: UserState | undefined,
  { userId, sessionId }: Own,
  nowMs: number,
  decide: (own: OwnState) => Events,
): Events | Refusal {
  const session = sessionOf(user, sessionId, nowMs);
  if (user?.human === undefined || session === undefined) return reject("UNAUTHENTICATED");
  if (user.human.initialization !== undefined) return reject("USER_NOT_INITIALIZED");
  const { via = [] } = session;
  return decide({ human: user.human, via: viaOf(userId, { maker: userId, via }) });
}

/** The refusal where a person has no more room for events of the type in a day. */
export function refuseFull(
  { login }: HumanState,
  type: Counted,
  nowMs: number,
): Refusal | undefined {
  return hasRoom(login, type, nowMs) ? undefined : reject("LIMIT_REACHED");
}

/** What ends all that came from logins but one session: how the person gets in has changed. */
export function endOthers(user: UserState | undefined, { userId, sessionId }: Own, nowMs: number) {
  const others = sessionsOf(user, nowMs).filter((one) => one.sessionId !== sessionId);
  const payload = { count: others.length, sessions: [sessionId] };
  return {
    user: [{ type: "user.human.sessions.ended", payload }],
    logouts: logoutsOf(userId, others),
  } as const satisfies EndingDecision["events"];
}
