import { accept, type Decision, type Refusal, reject } from "../decision.ts";
import type { Nothing } from "../noun.ts";
import {
  type Acted,
  type ActedUser,
  type Acting,
  type ActingAmongOwners,
  type EndingDecision,
  refuseActing,
  refuseLastOwner,
  type UserDecision,
} from "./state/acting.ts";
import { isLocked } from "./state/login-state.ts";
import { logoutsOf, sessionsOf } from "./state/session.ts";
import type { UserState } from "./state/user.ts";

/** Takes a user out of use, locked or not. All that came from logins of the user ends. */
export function deactivateUser(
  acting: ActingAmongOwners,
  acted: ActedUser,
  nowMs: number,
): EndingDecision {
  return takeOut(acting, acted, { type: "user.deactivated", from: inUseOrLocked, nowMs });
}

/** The same until somebody unlocks the user, who is in use. */
export function lockUser(
  acting: ActingAmongOwners,
  acted: ActedUser,
  nowMs: number,
): EndingDecision {
  return takeOut(acting, acted, { type: "user.locked", from: ["in use"], nowMs });
}

const inUseOrLocked = ["in use", "locked"] as const;

function takeOut(
  acting: ActingAmongOwners,
  acted: ActedUser,
  { type, from, nowMs }: Taking,
): EndingDecision {
  const refused =
    refuseActing(acting, acted) ?? refuseUnless(acting, from) ?? refuseLastOwner(acting);
  if (refused !== undefined) return refused;
  const logouts = logoutsOf(acted.userId, sessionsOf(acting.user, nowMs));
  return accept({ user: [{ type, payload: {} }], logouts });
}

/** How a user goes out of use, and from where. */
interface Taking {
  readonly type: "user.deactivated" | "user.locked";
  readonly from: readonly Use[];
  readonly nowMs: number;
}

/** Whether a user is in use, or why not. */
type Use = "in use" | "locked" | "inactive";

/** The refusal where the user is not in one of these. */
function refuseUnless({ user }: Acting, uses: readonly Use[]): Refusal | undefined {
  const outOfUse = user?.isLocked ? "locked" : "inactive";
  return uses.includes(user?.isInactive ? outOfUse : "in use")
    ? undefined
    : reject("NOTHING_CHANGED");
}

/** Brings a user back into use whom somebody took out of it. */
export function reactivateUser(acting: Acting, acted: Acted): UserDecision {
  return (
    refuseActing(acting, acted) ??
    refuseUnless(acting, ["inactive"]) ??
    accept({ user: [{ type: "user.reactivated", payload: {} }] })
  );
}

/** Ends the lock that somebody set, and that of wrong passwords before it ends by itself. */
export function unlockUser(acting: Acting, acted: Acted, nowMs: number): UserDecision {
  const refused = refuseActing(acting, acted);
  if (refused !== undefined) return refused;
  const set = acting.user?.isLocked ? (["user.unlocked"] as const) : [];
  const ofTries = isLocked(acting.user?.human?.login, nowMs)
    ? (["user.human.unlocked"] as const)
    : [];
  const events = [...set, ...ofTries].map((type) => ({ type, payload: {} }));
  return events.length === 0 ? reject("NOTHING_CHANGED") : accept({ user: events });
}

/** The event that removes a key of a user, alone or together with the user. */
export type MetadataErased = {
  readonly type: "user.metadata.erased";
  readonly payload: Nothing;
};

/** The event that removes a grant of a user, alone or together with what it rests on. */
export type GrantRemoved = {
  readonly type: "user.grant.removed";
  readonly payload: Nothing;
};

/** A decision that removes a user: its metadata and grants go in the same append. */
export type RemovalDecision = EndingDecision &
  Decision<{ metadata?: readonly MetadataErased[]; grants?: readonly GrantRemoved[] }>;

/** Removes the user with all it holds: names, links, tokens, memberships, metadata, grants. */
export function removeUser(
  acting: ActingAmongOwners,
  acted: ActedUser,
  nowMs: number,
): RemovalDecision {
  return (
    refuseActing(acting, acted) ??
    refuseLastOwner(acting) ??
    accept(removalOf(acting.user, acted.userId, nowMs))
  );
}

/** The events that remove a user, whatever it holds. */
export function removalOf(user: UserState | undefined, userId: string, nowMs: number) {
  return {
    user: [{ type: "user.removed", payload: {} }],
    metadata: [{ type: "user.metadata.erased", payload: {} }],
    grants: [{ type: "user.grant.removed", payload: {} }],
    logouts: logoutsOf(userId, sessionsOf(user, nowMs)),
  } as const;
}
