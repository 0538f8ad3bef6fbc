import type { ClaimGroup } from "../event.ts";
import { accept, type Decision, type Refusal, reject, rejectionFor } from "./decision.ts";
import type { GroupState } from "./group.ts";
import { mustExist, type Nothing, type Noun, unknownEvent } from "./noun.ts";
import { isIn, type ProjectState } from "./project.ts";
import type { RoleState } from "./role.ts";
import { refuseSameStatus, type Status, withStatus } from "./status.ts";
import type { Acting } from "./user/acting.ts";
import { isMember } from "./user/joined.ts";
import { type ActedUser, type GrantRemoved, refuseActing } from "./user/status.ts";
import type { UserState } from "./user/user.ts";

/** Roles of a project that a user holds, or a group for its members. */
export type GrantEvent =
  | { readonly type: "user.grant.added"; readonly payload: Granted }
  | { readonly type: "group.grant.added"; readonly payload: GrantedToGroup }
  | {
      readonly type: "user.grant.changed" | "group.grant.changed";
      readonly payload: Pick<Granted, "roleIds">;
    }
  | { readonly type: "group.grant.removed"; readonly payload: Nothing }
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
  readonly groupId?: undefined;
}

/** The same of a group in the place of a user: each of its members holds them. */
export interface GrantedToGroup extends Pick<Granted, "projectId" | "roleIds"> {
  readonly groupId: string;
  readonly userId?: undefined;
  readonly userType?: undefined;
}

/** A grant as its events leave it. */
export type GrantState = (Granted | GrantedToGroup) &
  Status & {
    /** The organization in which it was given. */
    readonly organization: string;
  };

/** The bounds on grants. */
export const grantLimits = { rolesOfGrant: 200, grantsOfUser: 200, grantsOfGroup: 100 } as const;

/** The noun of grants. A user has one for a project at most, and so has a group. */
export const grant: Noun<GrantState, GrantEvent> = {
  kind: "grant",
  events: {
    "user.grant.added": "A user was granted roles of a project",
    "user.grant.changed": "The roles of the grant were replaced, or one of them was removed",
    "user.grant.deactivated": "It was deactivated: the user holds none of its roles meanwhile",
    "user.grant.reactivated": "It was reactivated",
    "user.grant.removed": "It was removed, alone or with the user, the project or its last role",
    "group.grant.added": "The members of a group were granted roles of a project",
    "group.grant.changed": "The roles of the grant were replaced, or one of them was removed",
    "group.grant.removed": "It was removed, alone or with the group, the project or its last role",
  },
  secrets: [],
  evolve(state, event) {
    switch (event.type) {
      case "user.grant.added":
      case "group.grant.added":
        return { ...event.payload, organization: event.owner };
      case "user.grant.changed":
      case "group.grant.changed":
        return { ...mustExist(state), ...event.payload };
      case "user.grant.deactivated":
        return withStatus(mustExist(state), true);
      case "user.grant.reactivated":
        return withStatus(mustExist(state), false);
      case "user.grant.removed":
      case "group.grant.removed":
        return undefined;
      default:
        return unknownEvent(event);
    }
  },
  claimRefusals: {
    "grant.user": rejectionFor("USER_GRANT_EXISTS"),
    "grant.group": rejectionFor("GROUP_GRANT_EXISTS"),
    "grant.project": rejectionFor("USER_GRANT_EXISTS"),
    "grant.role": rejectionFor("USER_GRANT_EXISTS"),
  },
  claims: (state) => {
    const { groupId, projectId, roleIds } = state;
    const [own, value] =
      groupId === undefined
        ? [grantsOf(state.userId), state.userId]
        : [grantsOfGroup(groupId), groupId];
    return [
      { ...own, value: projectId },
      { ...grantsOn(projectId), value },
      ...roleIds.map((id) => ({ ...grantsWith(id), value })),
    ];
  },
  // Those of groups are listed by their group.
  row: ({ userId = "", groupId, projectId, userType = "", organization }) => ({
    parent: groupId ?? organization,
    fields: { userId, projectId, userType },
  }),
};

/** The claims of which each grant of a user holds one: its project. */
export function grantsOf(userId: string): ClaimGroup {
  return { kind: "grant.user", scope: userId };
}

/** The claims of which each grant of a group holds one: its project. */
export function grantsOfGroup(groupId: string): ClaimGroup {
  return { kind: "grant.group", scope: groupId };
}

/** The claims of which each grant of roles of a project holds one: its user or group. */
export function grantsOn(projectId: string): ClaimGroup {
  return { kind: "grant.project", scope: projectId };
}

/** The claims of which each grant of a role holds one: its user or group. */
export function grantsWith(roleId: string): ClaimGroup {
  return { kind: "grant.role", scope: roleId };
}

/** All that a grant rests on. */
export interface Resting {
  readonly grant: GrantState | undefined;
  readonly user: UserState | undefined;
  /** The group that holds the grant; left out where the user does. */
  readonly group?: GroupState | undefined;
  readonly project: ProjectState | undefined;
  /** Those that the grant names, in its order; undefined for one that is gone. */
  readonly roles: readonly (RoleState | undefined)[];
}

/** The keys of the roles that a user holds by a grant: of none that rests on something ended. */
export function rolesOf(resting: Resting): readonly string[] {
  const { grant: state, user, group, project, roles } = resting;
  const all = [state, user, project];
  const isOut = all.some((one) => one === undefined || one.isInactive);
  if (isOut || (state?.groupId && !(group && user && isMember(user, state.groupId)))) return [];
  return keysIn(roles);
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

/** The roles that are given: undefined for keys that the project lacks. */
export interface GivenRoles {
  readonly projectId: string;
  readonly roleIds: readonly (string | undefined)[];
}

/** A user to whom roles are given. */
export interface Giving extends ActedUser, GivenRoles {}

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
  return withRoles(states, given);
}

/** Replaces the roles of a grant that is there, whoever holds it. */
export function withRoles(
  states: NamedRoles & { readonly grant: GrantState | undefined },
  given: GivenRoles,
): GrantDecision {
  const roleIds = knownRoles(states, given);
  if (roleIds === undefined) return reject("PROJECT_ROLE_NOT_FOUND");
  const state = mustExist(states.grant);
  const before = new Set(state.roleIds);
  if (before.size === roleIds.length && roleIds.every((id) => before.has(id))) {
    return reject("NOTHING_CHANGED");
  }
  return accept({ grant: [{ type: `${holderOf(state)}.grant.changed`, payload: { roleIds } }] });
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
export function withoutRole(state: GrantState, roleId: string): readonly GrantEvent[] {
  const left = state.roleIds.filter((id) => id !== roleId);
  if (left.length === state.roleIds.length) return [];
  return left.length === 0
    ? endOfGrant(state)
    : [{ type: `${holderOf(state)}.grant.changed`, payload: { roleIds: left } }];
}

/** The event by which a grant ends. */
export function endOfGrant(state: GrantState): readonly GrantEvent[] {
  return [{ type: `${holderOf(state)}.grant.removed`, payload: {} }];
}

function holderOf({ groupId }: GrantState): "user" | "group" {
  return groupId === undefined ? "user" : "group";
}

/** The ids of the roles, each once; undefined where one is not a role of the project. */
export function knownRoles(
  states: NamedRoles,
  { projectId, roleIds }: GivenRoles,
): readonly string[] | undefined {
  const known = roleIds.filter((id) => id !== undefined);
  const areThere = known.every((id) => states[roleName(id)]?.projectId === projectId);
  return areThere && known.length === roleIds.length ? [...new Set(known)] : undefined;
}
