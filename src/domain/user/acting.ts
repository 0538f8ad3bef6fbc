import { type Decision, reject } from "../decision.ts";
import { holds, holdsAll, type Permission, type Scope } from "../permission.ts";
import type { UserEvent, UserState } from "./user.ts";

export type UserDecision = Decision<{ user?: readonly UserEvent[] }>;

/** Who acts on a user: the memberships as they are when the decision is made. */
export interface Acting {
  readonly user: UserState | undefined;
  readonly caller: UserState | undefined;
}

/** Whether the user lies where the caller holds the permission. */
export function lies(
  user: UserState | undefined,
  caller: UserState | undefined,
  permission: Permission,
): user is UserState {
  return user !== undefined && holds(caller?.memberships ?? [], permission, homeOf(user));
}

/** Whether the caller holds all that the user holds: who acts on a user must. */
export function outranks(caller: UserState | undefined, user: UserState): boolean {
  return holdsAll(caller?.memberships ?? [], user.memberships);
}

export function userNotFound(): UserDecision {
  return reject(
    "USER_NOT_FOUND",
    "There is no such user in an organization where the caller may do this.",
  );
}

export function escalation(what: string): UserDecision {
  return reject(
    "ESCALATION_DENIED",
    `${what} holds permissions that the caller does not: only who holds them all may do this.`,
  );
}

function homeOf({ organization }: UserState): Scope {
  return { level: "organization", organization };
}
