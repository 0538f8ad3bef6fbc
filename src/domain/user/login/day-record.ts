import { accept } from "../../decision.ts";
import type { UserDecision } from "../state/acting.ts";
import { type Counted, hasRoom } from "../state/day.ts";
import type { UserEvent } from "../state/event.ts";
import type { UserState } from "../state/user.ts";

/** Records what somebody may cause at will, as far as there is room for it in a day. */
export function recordOfDay(
  user: UserState | undefined,
  event: Extract<UserEvent, { readonly type: Counted }>,
  nowMs: number,
): UserDecision {
  const isRecorded = user?.human !== undefined && hasRoom(user.human.login, event.type, nowMs);
  return accept(isRecorded ? { user: [event] } : {});
}
