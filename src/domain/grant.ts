import type { ClaimGroup } from "../event.ts";
import { accept, type Decision, type Refusal, reject, rejectionFor } from "./decision.ts";
import { mustExist, type Nothing, type Noun, unknownEvent } from "./noun.ts";
import { isIn, type ProjectState } from "./project.ts";
import type { ProjectGrantState } from "./project-grant.ts";
import { knownRoles, type NamedRoles, type RoleState } from "./role.ts";
import { refuseSameStatus, type Status, withStatus } from "./status.ts";
import type { Acting } from "./user/acting.ts";
import { type ActedUser, type GrantRemoved, refuseActing } from "./user/status.ts";
import type { UserState } from "./user/user.ts";

/** Roles of a project that a user holds. */
export type GrantEvent =
  | { readonly type: "user.grant.added"; readonly payload: Granted }
  | { readonly type: "user.grant.changed"; readonly payload: Pick<Granted, "roleIds"> }
  | {
      readonly type: "user.grant.deactivated" | "user.grant.reactivated";
      readonly payload: Nothing;
    }
  | GrantRemoved;

/** Who holds which roles of which project. */
export interface Granted {
  readonly userId: string;
  readonly projectId: string;
  /** The ids of roles, at least one. */
  readonly roleIds: readonly string[];
  /** What the user is, for good. */
  readonly userType: "HUMAN" | "MACHINE";
  /** That by which the organization of the user has the project, where it is another's. */
  readonly projectGrantId?: string;
}

/** A grant as its events leave it. */
export interface GrantState extends Granted, Status {
  /** The organization in which it was given. */
  readonly organization: string;
}

/** The bounds on grants. */
export const grantLimits = { rolesOfGrant: 200, grantsOfUser: 200 } as const;

/** The noun of grants. A user has one for a project at most. */
export const grant: Noun<GrantState, GrantEvent> = {
  kind: "grant",
  events: {
    "user.grant.added": "A user was granted roles of a project",
    "user.grant.changed": "The roles of the grant were replaced, or one of them was removed",
    "user.grant.deactivated": "It was deactivated: the user holds none of its roles meanwhile",
    "user.grant.reactivated": "It was reactivated",
    "user.grant.removed": "It was removed, alone or with what it rests on, or with its last role",
  },
  secrets: [],
  evolve(state, event) {
    switch (event.type) {
      case "user.grant.added":
        return { ...event.payload, organization: event.owner };
      case "user.grant.changed":
        return { ...mustExist(state), ...event.payload };
      case "user.grant.deactivated":
        return withStatus(mustExist(state), true);
      case "user.grant.reactivated":
        return withStatus(mustExist(state), false);
      case "user.grant.removed":
        return undefined;
      default:
        return unknownEvent(event);
    }
  },
  claimRefusals: {
    "grant.user": rejectionFor("USER_GRANT_EXISTS"),
    "grant.project": rejectionFor("USER_GRANT_EXISTS"),
    "grant.role": rejectionFor("USER_GRANT_EXISTS"),
    "grant.projectGrant": rejectionFor("USER_GRANT_EXISTS"),
  },
  claims: ({ userId, projectId, roleIds, projectGrantId }) => [
    { ...grantsOf(userId), value: projectId },
    { ...grantsOn(projectId), value: userId },
    ...roleIds.map((id) => ({ ...grantsWith(id), value: userId })),
    ...(projectGrantId === undefined ? [] : [{ ...grantsBy(projectGrantId), value: userId }]),
  ],
  row: ({ userId, projectId, userType, organization, projectGrantId = "" }) => ({
    parent: organization,
    fields: { userId, projectId, userType, projectGrantId },
  }),
};

/** The claims of which each grant of a user holds one: its project. */
export function grantsOf(userId: string): ClaimGroup {
  return { kind: "grant.user", scope: userId };
}

/** The claims of which each grant of roles of a project holds one: its user. */
export function grantsOn(projectId: string): ClaimGroup {
  return { kind: "grant.project", scope: projectId };
}

/** The claims of which each grant of a role holds one: its user. */
export function grantsWith(roleId: string): ClaimGroup {
  return { kind: "grant.role", scope: roleId };
}

/** The claims of which each grant by a project grant holds one: its user. */
export function grantsBy(projectGrantId: string): ClaimGroup {
  return { kind: "grant.projectGrant", scope: projectGrantId };
}

/** All that a grant rests on. */
export interface Resting extends Reach {
  readonly grant: GrantState | undefined;
  readonly user: UserState | undefined;
  /** Those that the grant names, in its order; undefined for one that is gone. */
  readonly roles: readonly (RoleState | undefined)[];
}

/** The keys of the roles that a user holds by a grant: of none that rests on something ended. */
export function rolesOf(resting: Resting): readonly string[] {
  const { grant: state, user, project, projectGrant, roles } = resting;
  const by = state?.projectGrantId === undefined ? [] : [projectGrant];
  const isOut = [state, user, project, ...by].some((one) => one === undefined || one.isInactive);
  if (isOut) return [];
  const given = by.length === 0 ? undefined : new Set(projectGrant?.roleIds);
  return keysIn(roles.filter((_, index) => given?.has(state?.roleIds[index] ?? "") ?? true));
}

/** The keys of roles that are there. */
export function keysIn(roles: Resting["roles"]): readonly string[] {
  return roles.flatMap((one) => one?.key ?? []);
}

/** A decision on a grant. */
export type GrantDecision = Decision<{ grant?: readonly GrantEvent[] }>;

/** A project of which users are granted roles. */
export interface Reach {
  readonly project: ProjectState | undefined;
  /** That by which the organization has it, where a grant names one. */
  readonly projectGrant?: ProjectGrantState | undefined;
}

/** What a grant is decided on: who gets it, who gives it, and what is given. */
export type Granting = Acting & NamedRoles & Reach & { readonly held: number };

/** A user to whom roles are given, and the roles: undefined for keys that the project lacks. */
export interface Giving extends ActedUser {
  readonly projectId: string;
  readonly roleIds: readonly (string | undefined)[];
  readonly projectGrantId?: string;
}

/** Grants a user roles of a project, where there is room: the number of its grants is `held`. */
export function addGrant(states: Granting, given: Giving): GrantDecision {
  const { userId, projectId } = given;
  const refused = refuseActing(states, given) ?? refuseReach(states, given);
  if (refused !== undefined) return refused;
  const roleIds = rolesToGive(states, given);
  if (roleIds === undefined) return reject("PROJECT_ROLE_NOT_FOUND");
  const { grantsOfUser: most } = grantLimits;
  if (states.held >= most) {
    return reject("LIMIT_REACHED", `The user has ${most} grants: remove one first.`);
  }
  const userType = states.user?.human === undefined ? "MACHINE" : "HUMAN";
  const by = given.projectGrantId === undefined ? {} : { projectGrantId: given.projectGrantId };
  const payload = { userId, projectId, roleIds, userType, ...by } as const;
  return accept({ grant: [{ type: "user.grant.added", payload }] });
}

/** A grant with its user, its project and the caller. */
export type ActingOnGrant = Acting & Reach & { readonly grant: GrantState | undefined };

/** Replaces the roles of a grant. */
export function updateGrant(states: ActingOnGrant & NamedRoles, given: Giving): GrantDecision {
  const refused = refuseGrant(states, given);
  if (refused !== undefined) return refused;
  const roleIds = rolesToGive(states, given);
  if (roleIds === undefined) return reject("PROJECT_ROLE_NOT_FOUND");
  const before = new Set(states.grant?.roleIds);
  if (before.size === roleIds.length && roleIds.every((id) => before.has(id))) {
    return reject("NOTHING_CHANGED");
  }
  return accept({ grant: [{ type: "user.grant.changed", payload: { roleIds } }] });
}

/** Takes a grant out of use or brings it back. */
export function switchGrant(
  states: ActingOnGrant,
  { isInactive, ...acted }: ActedUser & { readonly isInactive: boolean },
): GrantDecision {
  const type = isInactive ? "user.grant.deactivated" : "user.grant.reactivated";
  return (
    refuseGrant(states, acted) ??
    refuseSameStatus(mustExist(states.grant), isInactive) ??
    accept({ grant: [{ type, payload: {} }] })
  );
}

/** Removes a grant. */
export function removeGrant(states: ActingOnGrant, acted: ActedUser): GrantDecision {
  return (
    refuseGrant(states, acted) ?? accept({ grant: [{ type: "user.grant.removed", payload: {} }] })
  );
}

/** Grants of users, with what each rests on, by the names that `grantNames` gives. */
export interface ActingOnGrants extends Pick<Acting, "caller"> {
  readonly [name: `${"grant" | "user" | "project" | "projectGrant"} ${string}`]: unknown;
}

/** A grant, and what it is of. */
export interface GrantPlace extends Pick<Granted, "userId" | "projectId" | "projectGrantId"> {
  readonly grantId: string;
}

/** The names under which decisions are given a grant and what it rests on. */
export function grantNames({ grantId, userId, projectId, projectGrantId }: GrantPlace) {
  return {
    grant: `grant ${grantId}`,
    user: `user ${userId}`,
    project: `project ${projectId}`,
    projectGrant: `projectGrant ${projectGrantId}`,
  } as const;
}

/** Removes several grants, or none. */
export function removeGrants(
  states: ActingOnGrants,
  places: readonly GrantPlace[],
  { organization }: Pick<ActedUser, "organization">,
): Decision<{ readonly [name: string]: readonly GrantEvent[] }> {
  const removed: GrantEvent = { type: "user.grant.removed", payload: {} };
  for (const place of places) {
    const names = grantNames(place);
    const acting = {
      caller: states.caller,
      grant: states[names.grant] as GrantState | undefined,
      user: states[names.user] as UserState | undefined,
      project: states[names.project] as ProjectState | undefined,
      projectGrant: states[names.projectGrant] as ProjectGrantState | undefined,
    };
    const refused = refuseGrant(acting, { organization, userId: place.userId });
    if (refused === undefined) continue;
    // Whose it is, is not asked here.
    const isUnknown = refused.rejection.reason === "USER_NOT_FOUND";
    return isUnknown ? reject("USER_GRANT_NOT_FOUND") : refused;
  }
  return accept(Object.fromEntries(places.map((one) => [grantNames(one).grant, [removed]])));
}

/** The refusal to act on the user, or on a grant that is not the user's. */
export function refuseGrant(
  { grant: state, ...acting }: ActingOnGrant,
  acted: ActedUser,
): Refusal | undefined {
  const refused = refuseActing(acting, acted);
  if (refused !== undefined) return refused;
  const isThere =
    state?.userId === acted.userId && refuseReach(acting, { ...state, ...acted }) === undefined;
  return isThere ? undefined : reject("USER_GRANT_NOT_FOUND");
}

/** The refusal where the organization neither has the project nor was granted it. */
function refuseReach(
  { project, projectGrant }: Reach,
  { organization, projectId, projectGrantId }: Omit<Giving, "userId" | "roleIds">,
): Refusal | undefined {
  if (projectGrantId === undefined) {
    return isIn(project, organization) ? undefined : reject("PROJECT_NOT_FOUND");
  }
  const isTheirs = projectGrant?.grantedOrgId === organization;
  const isThere = isTheirs && projectGrant.projectId === projectId && project !== undefined;
  return isThere ? undefined : reject("PROJECT_GRANT_NOT_FOUND");
}

/** What a grant becomes when one of its roles is removed: without any, nothing is left of it. */
export function withoutRole({ roleIds }: GrantState, roleId: string): readonly GrantEvent[] {
  const left = roleIds.filter((id) => id !== roleId);
  if (left.length === roleIds.length) return [];
  return left.length === 0
    ? [{ type: "user.grant.removed", payload: {} }]
    : [{ type: "user.grant.changed", payload: { roleIds: left } }];
}

/** The ids of the roles, each once; undefined where the organization may not give one. */
function rolesToGive(
  states: NamedRoles & Pick<Reach, "projectGrant">,
  given: Giving,
): readonly string[] | undefined {
  const { roleIds: granted } = states.projectGrant ?? {};
  const known = knownRoles(states, given);
  return known?.every((id) => granted?.includes(id) ?? true) ? known : undefined;
}
