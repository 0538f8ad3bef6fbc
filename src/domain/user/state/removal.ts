import { accept } from "../../decision.ts";
import type { EndingDecision } from "./acting.ts";
import type { UserEvent } from "./event.ts";
import { type NoticeAbout, noticeOf } from "./notice.ts";
import { logoutsOf, sessionsOf } from "./session.ts";
import type { UserState } from "./user.ts";

type Removed = "externalidp" | "otp" | "passwordless.token";

/**
 * Takes a way in from a person, who is told of it. All ends that came from logins but the sessions
 * that stay by the event: who has what is removed may be logged in by it.
 */
export function removing(
  user: UserState | undefined,
  { userId, about }: { readonly userId: string; readonly about: `${string}.removed` & NoticeAbout },
  event: Extract<UserEvent, { readonly type: `user.human.${Removed}.removed` }>,
  nowMs: number,
): EndingDecision {
  const { sessions: stays = [] } = event.payload;
  const ended = sessionsOf(user, nowMs).filter(({ sessionId }) => !stays.includes(sessionId));
  return accept({ user: [event, ...noticeOf(user, { about })], logouts: logoutsOf(userId, ended) });
}
