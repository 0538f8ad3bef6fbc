import { accept, reject } from "../decision.ts";
import { refuseFull } from "./own/own.ts";
import type { ActedUser, ActingAmongOwners, UserDecision } from "./state/acting.ts";
import {
  type AskedErasure,
  erasureTimes,
  isPutOff,
  nextErasureStep,
} from "./state/asked-erasure.ts";
import { noticeOf } from "./state/notice.ts";
import type { UserState } from "./state/user.ts";
import { type RemovalDecision, removalOf, removeUser } from "./status.ts";

/** Asks for a person to be erased, in the person's name; who holds roles has to lose them first. */
export function requestErasure(user: UserState | undefined, nowMs: number): UserDecision {
  if (user?.human === undefined || user.isInactive) return reject("UNAUTHENTICATED");
  if (user.memberships.length > 0) return reject("USER_HOLDS_ROLES");
  if (user.erasure !== undefined) return reject("NOTHING_CHANGED");
  const full = refuseFull(user.human, "user.erasure.requested", nowMs);
  if (full !== undefined) return full;
  const dueMs = nowMs + erasureTimes.waitMs;
  const told = noticeOf(user, { about: "erasure.requested", dueMs });
  return accept({ user: [{ type: "user.erasure.requested", payload: { dueMs } }, ...told] });
}

/** Takes that back. */
export function withdrawErasure(user: UserState | undefined): UserDecision {
  if (user?.isInactive) return reject("UNAUTHENTICATED");
  if (user?.erasure === undefined) return reject("NOTHING_CHANGED");
  const told = noticeOf(user, { about: "erasure.withdrawn" });
  return accept({ user: [{ type: "user.erasure.withdrawn", payload: {} }, ...told] });
}

/**
 * Tells a person that the erasure is near which the person asked for: it is a day away, however
 * late that is told.
 */
export function announceErasure(user: UserState | undefined, nowMs: number): UserDecision {
  const { erasure } = user ?? {};
  if (erasure === undefined || erasure.isAnnounced || !isDue(erasure, nowMs)) return accept({});
  const dueMs = Math.max(erasure.dueMs, nowMs + erasureTimes.announceMs);
  const told = noticeOf(user, { about: "erasure.due", dueMs });
  return accept({ user: [{ type: "user.erasure.announced", payload: { dueMs } }, ...told] });
}

/** Erases a person who asked for it, and has heard that it is near. */
export function eraseAsAsked(
  user: UserState | undefined,
  userId: string,
  nowMs: number,
): RemovalDecision {
  const { erasure, memberships = [] } = user ?? {};
  if (!erasure?.isAnnounced || !isDue(erasure, nowMs)) return reject("CONFLICT");
  if (memberships.length > 0) return reject("USER_HOLDS_ROLES");
  const removal = removalOf(user, userId, nowMs);
  return accept({ ...removal, user: [...removal.user, erasedAsAsked(erasure)] });
}

/**
 * Removes a user. A person who has asked to be erased is erased by it, unless something puts that
 * off: afterwards nobody would think of it.
 */
export function removeOrErase(
  acting: ActingAmongOwners,
  acted: ActedUser,
  nowMs: number,
): RemovalDecision {
  const removed = removeUser(acting, acted, nowMs);
  const { user } = acting;
  if (removed.rejection !== undefined || user?.erasure === undefined || isPutOff(user)) {
    return removed;
  }
  const { events } = removed;
  return accept({ ...events, user: [...(events.user ?? []), erasedAsAsked(user.erasure)] });
}

function erasedAsAsked({ askedMs }: AskedErasure) {
  const reason = `The person asked for it, on ${new Date(askedMs).toISOString()}.`;
  return { type: "user.erased", payload: { reason } } as const;
}

function isDue(erasure: AskedErasure, nowMs: number): boolean {
  return nextErasureStep(erasure) <= nowMs;
}
