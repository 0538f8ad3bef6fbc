import type { Decision } from "../decision.ts";
import type { LogoutEvent } from "../logout.ts";
import { holds, holdsAll, type Permission } from "../permission.ts";
import type { UserEvent } from "./event.ts";
import type { UserState } from "./user.ts";

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
