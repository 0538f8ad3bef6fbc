import { accept, invalid, reject, type Violation } from "../decision.ts";
import {
  holdsRole,
  isRole,
  type Permission,
  type Role,
  rolesOf,
  type Scope,
  sameScope,
} from "../permission.ts";
import { isIn, type ProjectState, projectNotFound } from "../project.ts";
import { type Acting, escalation, lies, type UserDecision, userNotFound } from "./acting.ts";
import { type ActingAmongOwners, lastOwner } from "./status.ts";
import { userLimits } from "./user.ts";

/** What makes someone a member; the permission is the one that the caller's method needs. */
export interface Grant {
  readonly scope: Scope;
  readonly roles: readonly string[];
  readonly permission: Permission;
}

export function grantMembership({ user: state, caller }: Acting, grant: Grant): UserDecision {
  const { scope, permission } = grant;
  const granted = [...new Set(grant.roles)].filter(isRole);
  const violations = roleViolations(grant.roles, scope);
  if (violations.length > 0) return invalid(violations);

  if (!lies(state, caller, permission)) return userNotFound();
  if (!granted.every((role) => holdsRole(caller?.memberships ?? [], role, scope)))
    return escalation("The role");
  if (state.memberships.some((membership) => sameScope(membership.scope, scope))) {
    return reject("MEMBER_EXISTS", "The user is a member there already.");
  }
  if (state.memberships.length >= userLimits.memberships) {
    return reject("LIMIT_REACHED", `The user has ${userLimits.memberships} memberships.`);
  }
  return accept({
    user: [{ type: "user.membership.granted", payload: { scope, roles: granted } }],
  });
}

/** Takes all roles from a user that it has in the scope. */
export function removeMembership(
  { user: state, caller, owners }: ActingAmongOwners,
  { scope }: Pick<Grant, "scope">,
): UserDecision {
  const held = state?.memberships.find((membership) => sameScope(membership.scope, scope));
  if (held === undefined) return reject("MEMBER_NOT_FOUND", "The user is no member there.");
  if (!held.roles.every((role) => holdsRole(caller?.memberships ?? [], role, scope)))
    return escalation("The membership");
  return (
    (scope.level === "instance" ? lastOwner({ user: state, owners }) : undefined) ??
    accept({ user: [{ type: "user.membership.removed", payload: { scope } }] })
  );
}

/** As `grantMembership`, for a project that the organization of the scope must have. */
export function addProjectMember(
  states: Acting & { readonly project: ProjectState | undefined },
  grant: Grant & { readonly scope: { readonly level: "project" } },
): UserDecision {
  const violations = roleViolations(grant.roles, grant.scope);
  if (violations.length > 0) return invalid(violations);
  const exists = isIn(states.project, grant.scope.organization);
  return exists ? grantMembership(states, grant) : projectNotFound();
}

function roleViolations(given: readonly string[], scope: Scope): readonly Violation[] {
  const possible: readonly Role[] = rolesOf(scope.level);
  return given.flatMap((role, index) =>
    isRole(role) && possible.includes(role)
      ? []
      : [{ field: `roles[${index}]`, description: `must be one of ${possible.join(", ")}` }],
  );
}
