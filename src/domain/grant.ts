import type { ClaimGroup } from "../event.ts";
import { accept, type Decision, type Refusal, reject, rejectionFor } from "./decision.ts";
import { mustExist, type Nothing, type Noun, unknownEvent } from "./noun.ts";
import { isIn, type ProjectState } from "./project.ts";
import type { RoleState } from "./role.ts";
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
    "user.grant.removed": "It was removed, alone or with the user, the project or its last role",
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
  },
  claims: ({ userId, projectId, roleIds }) => [
    { ...grantsOf(userId), value: projectId },
    { ...grantsOn(projectId), value: userId },
    ...roleIds.map((id) => ({ ...grantsWith(id), value: userId })),
  ],
  row: ({ userId, projectId, userType, organization }) => ({
    parent: organization,
    fields: { userId, projectId, userType },
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

/** All that a grant rests on. */
export interface Resting {
  readonly grant: GrantState | undefined;
  readonly user: UserState | undefined;
  readonly project: ProjectState | undefined;
  /** Those that the grant names, in its order; undefined for one that is gone. */
  readonly roles: readonly (RoleState | undefined)[];
}

/** The keys of the roles that a user holds by a grant: of none that rests on something ended. */
export function rolesOf({ grant: state, user, project, roles }: Resting): readonly string[] {
  const all = [state, user, project];
  const isOut = all.some((one) => one === undefined || one.isInactive);
  return isOut ? [] : keysIn(roles);
}

/** The keys of roles that are there. */
export function keysIn(roles: Resting["roles"]): readonly string[] {
  return roles.flatMap((one) => one?.key ?? []);
}

/** A decision on a grant. */
export type GrantDecision = Decision<{ grant?: readonly GrantEvent[] }>;

/** The roles that a request names, each by the name that `roleName` gives. */
export interface NamedRoles {
  readonly [name: `role ${string}`]: RoleState | undefined;
}

/** The name under which decisions are given a role. */
export function roleName(id: string): `role ${string}` {
  return `role ${id}`;
}

/** What a grant is decided on: who gets it, who gives it, and what is given. */
export type Granting = Acting &
  NamedRoles & { readonly project: ProjectState | undefined; readonly held: number };

/** A user to whom roles are given, and the roles: undefined for keys that the project lacks. */
export interface Giving extends ActedUser {
  readonly projectId: string;
  readonly roleIds: readonly (string | undefined)[];
}

/** Grants a user roles of a project, where there is room: the number of its grants is `held`. */
export function addGrant(states: Granting, given: Giving): GrantDecision {
  const { userId, projectId, organization } = given;
  const refused = refuseActing(states, given);
  if (refused !== undefined) return refused;
  if (!isIn(states.project, organization)) return reject("PROJECT_NOT_FOUND");
  const roleIds = knownRoles(states, given);
  if (roleIds === undefined) return reject("PROJECT_ROLE_NOT_FOUND");
  const { grantsOfUser: most } = grantLimits;
  if (states.held >= most) {
    return reject("LIMIT_REACHED", `The user has ${most} grants: remove one first.`);
  }
  const userType = states.user?.human === undefined ? "MACHINE" : "HUMAN";
  const payload = { userId, projectId, roleIds, userType } as const;
  return accept({ grant: [{ type: "user.grant.added", payload }] });
}

/** A grant with its user, its project and the caller. */
export type ActingOnGrant = Acting & {
  readonly grant: GrantState | undefined;
  readonly project: ProjectState | undefined;
};

/** Replaces the roles of a grant. */
export function updateGrant(states: ActingOnGrant & NamedRoles, given: Giving): GrantDecision {
  const refused = refuseGrant(states, given);
  if (refused !== undefined) return refused;
  const roleIds = knownRoles(states, given);
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
  readonly [name: `${"grant" | "user" | "project"} ${string}`]: unknown;
}

/** A grant, and the user and the project that it is of. */
export interface GrantPlace extends Pick<Granted, "userId" | "projectId"> {
  readonly grantId: string;
}

/** The names under which decisions are given a grant and what it rests on. */
export function grantNames({ grantId, userId, projectId }: GrantPlace) {
  return {
    grant: `grant ${grantId}`,
    user: `user ${userId}`,
    project: `project ${projectId}`,
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
  { grant: state, project, ...acting }: ActingOnGrant,
  acted: ActedUser,
): Refusal | undefined {
  const refused = refuseActing(acting, acted);
  if (refused !== undefined) return refused;
  const isThere = state?.userId === acted.userId && isIn(project, acted.organization);
  return isThere ? undefined : reject("USER_GRANT_NOT_FOUND");
}

/** What a grant becomes when one of its roles is removed: without any, nothing is left of it. */
export function withoutRole({ roleIds }: GrantState, roleId: string): readonly GrantEvent[] {
  const left = roleIds.filter((id) => id !== roleId);
  if (left.length === roleIds.length) return [];
  return left.length === 0
    ? [{ type: "user.grant.removed", payload: {} }]
    : [{ type: "user.grant.changed", payload: { roleIds: left } }];
}

/** The ids of the roles, each once; undefined where one is not a role of the project. */
function knownRoles(
  states: NamedRoles,
  { projectId, roleIds }: Giving,
): readonly string[] | undefined {
  const known = roleIds.filter((id) => id !== undefined);
  const areThere = known.every((id) => states[roleName(id)]?.projectId === projectId);
  return areThere && known.length === roleIds.length ? [...new Set(known)] : undefined;
}
