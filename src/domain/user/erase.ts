import { accept, reject } from "../decision.ts";
import type { ActedUser, ActingAmongOwners } from "./state/acting.ts";
import type { UserState } from "./state/user.ts";
import { type RemovalDecision, removalOf, removeUser } from "./status.ts";

/** What is left of a user who was removed. */
export interface Past {
  /** The organization that the user belonged to; undefined where there never was a user. */
  readonly organization: string | undefined;
  /** Whether the user is there no more. */
  readonly isRemoved: boolean;
  readonly isErased: boolean;
}

/** An erasure of a user, and why. */
export interface Erasure extends ActedUser {
  readonly past: Past;
  readonly reason: string;
}

/**
 * Erases what the events of a user said, who is removed by it unless that has been done. One who
 * holds roles has to lose them first: so no owner is lost by the way, and the log says who did it.
 */
export function eraseUser(
  acting: ActingAmongOwners,
  { past, reason, ...acted }: Erasure,
  nowMs: number,
): RemovalDecision {
  const erased = { type: "user.erased", payload: { reason } } as const;
  const { user } = acting;
  if (user === undefined) {
    if (past.organization !== acted.organization) return reject("USER_NOT_FOUND");
    // Somebody else has removed the user since, and may have erased it.
    if (!past.isRemoved) return reject("CONFLICT");
    return past.isErased ? reject("NOTHING_CHANGED") : accept({ user: [erased] });
  }
  const removed = removeUser(acting, acted, nowMs);
  if (removed.rejection !== undefined) return removed;
  if (user.memberships.length > 0) return reject("USER_HOLDS_ROLES");
  const { events } = removed;
  return accept({ ...events, user: [...(events.user ?? []), erased] });
}

/** An erasure that was made before the log was put back to a time when it had not been. */
export interface EarlierErasure {
  readonly userId: string;
  /** The position of its event in the log of then. */
  readonly position: bigint;
  /** When that was, in Unix milliseconds. */
  readonly timeMs: number;
  /** Whether the log has the person as removed. */
  readonly isRemoved: boolean;
}

/** Erases a person again, whatever the person held in the log that was put back. */
export function eraseAgain(
  user: UserState | undefined,
  { userId, position, timeMs, isRemoved }: EarlierErasure,
  nowMs: number,
): RemovalDecision {
  const when = new Date(timeMs).toISOString();
  const reason = `Erased before, on ${when} at position ${position}; the log was put back since.`;
  const erased = { type: "user.erased", payload: { reason } } as const;
  // Another process may just have done it.
  if (user === undefined) return accept(isRemoved ? { user: [erased] } : {});
  const removal = removalOf(user, userId, nowMs);
  return accept({ ...removal, user: [...removal.user, erased] });
}
