import { accept, type Refusal, reject } from "../decision.ts";
import { refuseSameStatus } from "../status.ts";
import { type Acting, type EndingDecision, outranks, type UserDecision } from "./acting.ts";
import { endAll } from "./login/login.ts";
import { isLocked } from "./login/state.ts";
import { isActiveOwner, type UserState } from "./user.ts";

/** A user and the caller who acts on it, with the number of active owners that the instance has. */
export type ActingAmongOwners = Acting & { readonly owners: number };

/** The organization that a call acts on. */
export interface Acted {
  readonly organization: string;
}

/** The same, and the user who is acted on. */
export interface ActedUser extends Acted {
  readonly userId: string;
}

/** Takes a user out of use, whose sessions end. */
export function deactivateUser(
  acting: ActingAmongOwners,
  acted: ActedUser,
  nowMs: number,
): EndingDecision {
  const refused =
    refuseActing(acting, acted) ??
    refuseSameStatus(acting.user ?? {}, true) ??
    refuseLastOwner(acting);
  if (refused !== undefined) return refused;
  const { user, logouts } = endAll(acted.userId, acting.user, nowMs);
  return accept({ user: [...user, { type: "user.deactivated", payload: {} }], logouts });
}

/** Brings a user back into use. */
export function reactivateUser(acting: Acting, acted: Acted): UserDecision {
  return (
    refuseActing(acting, acted) ??
    refuseSameStatus(acting.user ?? {}, false) ??
    accept({ user: [{ type: "user.reactivated", payload: {} }] })
  );
}

/** Ends the lock that wrong passwords brought about, before it ends by itself. */
export function unlockUser(acting: Acting, acted: Acted, nowMs: number): UserDecision {
  return (
    refuseActing(acting, acted) ??
    (isLocked(acting.user?.human?.login, nowMs) ? undefined : reject("NOTHING_CHANGED")) ??
    accept({ user: [{ type: "user.human.unlocked", payload: {} }] })
  );
}

/** Removes the user with everything it holds: names, links, tokens and memberships. */
export function removeUser(
  acting: ActingAmongOwners,
  acted: ActedUser,
  nowMs: number,
): EndingDecision {
  const refused = refuseActing(acting, acted) ?? refuseLastOwner(acting);
  if (refused !== undefined) return refused;
  const { logouts } = endAll(acted.userId, acting.user, nowMs);
  return accept({ user: [{ type: "user.removed", payload: {} }], logouts });
}

/** The refusal to take away the only user left who may do everything. */
export function refuseLastOwner({
  user,
  owners,
}: {
  readonly user: UserState | undefined;
  readonly owners: number;
}): Refusal | undefined {
  if (user === undefined || !isActiveOwner(user) || owners > 1) return undefined;
  return reject("LAST_OWNER");
}

/**
 * The refusal to act on a user of another organization, or on one who holds more than the caller.
 */
export function refuseActing(
  { user, caller }: Acting,
  { organization }: Acted,
): Refusal | undefined {
  if (user?.organization !== organization) return reject("USER_NOT_FOUND");
  return outranks(caller, user) ? undefined : reject("ESCALATION_DENIED");
}
