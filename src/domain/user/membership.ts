import { accept, type Problem, reject, rejectFields } from "../decision.ts";
import {
  holdsRole,
  isRole,
  type Permission,
  rolesOf,
  type Scope,
  sameScope,
} from "../permission.ts";
import { isIn, type ProjectState } from "../project.ts";
import { isReachable, type UserDecision } from "./acting.ts";
import { type Raise, type Raising, stayingSessions, voidCredentials } from "./raise.ts";
import { type ActingAmongOwners, refuseLastOwner } from "./status.ts";
import { userLimits } from "./user.ts";

/** Roles for a user in a scope, and the permission that the method of the caller needs. */
export interface Grant extends Omit<Raise, "roles"> {
  readonly roles: readonly string[];
  readonly permission: Permission;
}

/**
 * Makes a user a member of the scope. What others made for it, who hold less than it gains, is
 * voided: see `voidCredentials`.
 */
export function grantMembership(states: Raising, grant: Grant, nowMs: number): UserDecision {
  const { user: state, caller } = states;
  const { scope, permission } = grant;
  const granted = [...new Set(grant.roles)].filter(isRole);
  // Asked here too, because power is handed out here.
  const violations = grant.roles.flatMap((role, index) => {
    const description = roleProblem(role, scope.level);
    return description === undefined ? [] : [{ field: `roles[${index}]`, description }];
  });
  if (violations.length > 0) return rejectFields(violations);

  if (!isReachable(state, caller, permission)) return reject("USER_NOT_FOUND");
  if (!granted.every((role) => holdsRole(caller?.memberships ?? [], role, scope))) {
    return reject("ESCALATION_DENIED");
  }
  if (state.memberships.some((membership) => sameScope(membership.scope, scope))) {
    return reject("MEMBER_EXISTS");
  }
  if (state.memberships.length >= userLimits.memberships) {
    return reject("LIMIT_REACHED", `The user has ${userLimits.memberships} memberships.`);
  }
  const raise = { ...grant, roles: granted };
  const { events, rejection } = voidCredentials(states, raise, nowMs);
  if (rejection !== undefined) return { events, rejection };
  const sessions = stayingSessions({ ...states, user: state }, raise, nowMs);
  const payload = { scope, roles: granted, ...(sessions.length > 0 ? { sessions } : {}) };
  return accept({
    user: [...(events.user ?? []), { type: "user.membership.granted", payload }],
  });
}

/** Takes all roles from a user that it has in the scope. */
export function removeMembership(
  { user: state, caller, owners }: ActingAmongOwners,
  { scope }: { readonly scope: Scope },
): UserDecision {
  const held = state?.memberships.find((membership) => sameScope(membership.scope, scope));
  if (held === undefined) return reject("MEMBER_NOT_FOUND");
  if (!held.roles.every((role) => holdsRole(caller?.memberships ?? [], role, scope))) {
    return reject("ESCALATION_DENIED");
  }
  return (
    (scope.level === "instance" ? refuseLastOwner({ user: state, owners }) : undefined) ??
    accept({ user: [{ type: "user.membership.removed", payload: { scope } }] })
  );
}

/** As `grantMembership`, for a project that the organization of the scope must have. */
export function addProjectMember(
  states: Raising & { readonly project: ProjectState | undefined },
  grant: Grant & { readonly scope: { readonly level: "project" } },
  nowMs: number,
): UserDecision {
  const exists = isIn(states.project, grant.scope.organization);
  return exists ? grantMembership(states, grant, nowMs) : reject("PROJECT_NOT_FOUND");
}

/** The rule of a role that is granted at a level. */
export function roleProblem(role: string, level: Scope["level"]): Problem {
  const possible = rolesOf(level);
  return possible.some((name) => name === role)
    ? undefined
    : `must be one of ${possible.join(", ")}`;
}
