import { type Decision, type Refusal, reject } from "../../decision.ts";
import type { LogoutEvent } from "../../logout.ts";
import { holds, holdsAll, type Permission } from "../../permission.ts";
import type { UserEvent } from "./event.ts";
import { isActiveOwner, type UserState } from "./user.ts";

/** A decision on a user. */
export type UserDecision = Decision<{ user?: readonly UserEvent[] }>;

/** A decision that ends sessions: its command has to begin `logouts`, or nobody is told of it. */
export type EndingDecision = Decision<{
  user?: readonly UserEvent[];
  logouts?: readonly (readonly LogoutEvent[])[];
}>;

/** A user and the caller who acts on it, as both are when the decision is made. */
export interface Acting {
  readonly user: UserState | undefined;
  readonly caller: UserState | undefined;
}

/** A user and the caller who acts on it, with the number of active owners that the instance has. */
export type ActingAmongOwners = Acting & { readonly owners: number };

/** Whether the user exists and the caller holds the permission in the user's organization. */
export function isReachable(
  user: UserState | undefined,
  caller: UserState | undefined,
  permission: Permission,
): user is UserState {
  if (user === undefined) return false;
  const { organization } = user;
  return holds(caller?.memberships ?? [], permission, { level: "organization", organization });
}

/** Whether the caller holds all that the user holds: who acts on a user must. */
export function outranks(caller: UserState | undefined, user: UserState): boolean {
  return holdsAll(caller?.memberships ?? [], user.memberships);
}

/** The organization that a call acts on. */
export interface Acted {
  readonly organization: string;
}

/** The same, and the user who is acted on. */
export interface ActedUser extends Acted {
  readonly userId: string;
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
