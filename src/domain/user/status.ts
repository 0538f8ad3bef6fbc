import { accept, reject } from "../decision.ts";
import { refusalOfStatus } from "../status.ts";
import { type Acting, escalation, outranks, type UserDecision, userNotFound } from "./acting.ts";
import { isActiveOwner, type UserState } from "./user.ts";

/** Who acts on which user, with the number of active owners that the instance has. */
export type ActingAmongOwners = Acting & { readonly owners: number };

interface Place {
  readonly organization: string;
}

export function deactivateUser(acting: ActingAmongOwners, place: Place): UserDecision {
  return (
    refusalFor(acting, place) ??
    refusalOfStatus(acting.user ?? {}, true) ??
    lastOwner(acting) ??
    accept({ user: [{ type: "user.deactivated", payload: {} }] })
  );
}

export function reactivateUser(acting: Acting, place: Place): UserDecision {
  return (
    refusalFor(acting, place) ??
    refusalOfStatus(acting.user ?? {}, false) ??
    accept({ user: [{ type: "user.reactivated", payload: {} }] })
  );
}

/** Removes the user with everything it holds: names, links, tokens and memberships. */
export function removeUser(acting: ActingAmongOwners, place: Place): UserDecision {
  return (
    refusalFor(acting, place) ??
    lastOwner(acting) ??
    accept({ user: [{ type: "user.removed", payload: {} }] })
  );
}

/** The refusal where the user is the only one left who may do everything. */
export function lastOwner({
  user,
  owners,
}: {
  readonly user: UserState | undefined;
  readonly owners: number;
}): UserDecision | undefined {
  if (user === undefined || !isActiveOwner(user) || owners > 1) return undefined;
  return reject(
    "LAST_OWNER",
    "The user is the last active owner of the instance with a token that does not expire: make " +
      "another one first.",
  );
}

function refusalFor({ user, caller }: Acting, { organization }: Place): UserDecision | undefined {
  if (user?.organization !== organization) return userNotFound();
  return outranks(caller, user) ? undefined : escalation("The user");
}
