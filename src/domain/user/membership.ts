import { accept, type Problem, type Refusal, reject, rejectFields } from "../decision.ts";
import {
  holdsRole,
  isRole,
  type Membership,
  type Permission,
  type Role,
  rolesOf,
  type Scope,
} from "../permission.ts";
import { isIn, type ProjectState } from "../project.ts";
import { type Raise, type Raising, stayingSessions, voidCredentials } from "./raise.ts";
import {
  type ActingAmongOwners,
  isReachable,
  refuseLastOwner,
  type UserDecision,
} from "./state/acting.ts";
import { membershipIn, newRoles, type RolesGiven } from "./state/held-roles.ts";
import { type UserState, userLimits } from "./state/user.ts";

/** Roles for a user in a scope, and the permission that the method of the caller needs. */
export interface Grant extends Omit<Raise, "roles"> {
  readonly roles: readonly string[];
  readonly permission: Permission;
}

/** A user who is given roles, and the project that they are on, where they are on one. */
type Giving = Raising & { readonly project?: ProjectState | undefined };

/**
 * Makes a user a member of the scope. What others made for it, who hold less than it gains, is
 * voided: see `voidCredentials`.
 */
export function grantMembership(states: Giving, grant: Grant, nowMs: number): UserDecision {
  const { user: state, caller } = states;
  const { scope, permission } = grant;
  const refused = refuseGrant(states, grant);
  if (refused !== undefined) return refused;

  if (!isReachable(state, caller, permission)) return reject("USER_NOT_FOUND");
  const roles = rolesIn(grant);
  if (!holdsRoles(caller, { scope, roles })) return reject("ESCALATION_DENIED");
  if (membershipIn(state.memberships, scope) !== undefined) return reject("MEMBER_EXISTS");
  if (state.memberships.length >= userLimits.memberships) {
    return reject("LIMIT_REACHED", `The user has ${userLimits.memberships} memberships.`);
  }
  return give({ ...states, user: state }, { ...grant, roles }, "user.membership.granted", nowMs);
}

/**
 * Replaces the roles of a member of the scope. Who does so must hold what is taken and what is
 * given, and may give only what it may grant; the rest is as when a user becomes a member.
 */
export function updateMembership(
  states: Giving & ActingAmongOwners,
  grant: Grant,
  nowMs: number,
): UserDecision {
  const { user: state, caller } = states;
  const { scope, permission } = grant;
  const refused = refuseGrant(states, grant);
  if (refused !== undefined) return refused;

  const held = membershipIn(state?.memberships ?? [], scope);
  if (state === undefined || held === undefined) return reject("MEMBER_NOT_FOUND");
  const roles = rolesIn(grant);
  if (!holdsRoles(caller, held) || !holdsRoles(caller, { scope, roles })) {
    return reject("ESCALATION_DENIED");
  }
  const gained = newRoles(state.memberships, { scope, roles });
  // Who is raised is out of reach for those who look after it where it belongs.
  if (gained.length > 0 && !isReachable(state, caller, permission)) return reject("USER_NOT_FOUND");
  if (gained.length === 0 && roles.length === held.roles.length) return reject("NOTHING_CHANGED");
  return (
    (roles.includes("IAM_OWNER") ? undefined : refuseLastOwnerIn(scope, states)) ??
    give({ ...states, user: state }, { ...grant, roles }, "user.membership.changed", nowMs)
  );
}

/** Takes all roles from a user that it has in the scope. */
export function removeMembership(
  states: ActingAmongOwners,
  { scope }: { readonly scope: Scope },
): UserDecision {
  const held = membershipIn(states.user?.memberships ?? [], scope);
  if (held === undefined) return reject("MEMBER_NOT_FOUND");
  if (!holdsRoles(states.caller, held)) return reject("ESCALATION_DENIED");
  return (
    refuseLastOwnerIn(scope, states) ??
    accept({ user: [{ type: "user.membership.removed", payload: { scope } }] })
  );
}

/** The rule of a role that is granted at a level. */
export function roleProblem(role: string, level: Scope["level"]): Problem {
  const possible = rolesOf(level);
  return possible.some((name) => name === role)
    ? undefined
    : `must be one of ${possible.join(", ")}`;
}

/** Records the roles, and voids what their holder may not keep. */
function give(
  states: Raising & { readonly user: UserState },
  raise: Raise,
  type: RolesGiven["type"],
  nowMs: number,
): UserDecision {
  const { events, rejection } = voidCredentials(states, raise, nowMs);
  if (rejection !== undefined) return { events, rejection };
  const { scope, roles } = raise;
  const sessions = stayingSessions(states, raise, nowMs);
  const payload = { scope, roles, ...(sessions.length > 0 ? { sessions } : {}) };
  return accept({ user: [...(events.user ?? []), { type, payload }] });
}

/** The refusal of roles that do not exist there, or on a project that the organization has not. */
function refuseGrant({ project }: Giving, { scope, roles }: Grant): Refusal | undefined {
  if (scope.level === "project" && !isIn(project, scope.organization)) {
    return reject("PROJECT_NOT_FOUND");
  }
  // Asked here too, because power is handed out here.
  const violations = roles.flatMap((role, index) => {
    const description = roleProblem(role, scope.level);
    return description === undefined ? [] : [{ field: `roles[${index}]`, description }];
  });
  return violations.length > 0 ? rejectFields(violations) : undefined;
}

/** The refusal to take roles on the instance from the only owner left. */
function refuseLastOwnerIn({ level }: Scope, states: ActingAmongOwners): Refusal | undefined {
  return level === "instance" ? refuseLastOwner(states) : undefined;
}

/** The roles that a request names, each once. */
function rolesIn({ roles }: Grant): readonly Role[] {
  return [...new Set(roles)].filter(isRole);
}

/** Whether the caller holds all that the roles give. */
function holdsRoles(caller: UserState | undefined, { scope, roles }: Membership): boolean {
  return roles.every((role) => holdsRole(caller?.memberships ?? [], role, scope));
}
