import type { ClaimGroup } from "../event.ts";
import { accept, type Decision, type Refusal, reject, rejectionFor } from "./decision.ts";
import type { GroupState } from "./group.ts";
import { mustExist, type Nothing, type Noun } from "./noun.ts";
import { isIn, type ProjectState } from "./project.ts";
import type { ProjectGrantState } from "./project-grant.ts";
import { knownRoles, type NamedRoles, type RoleState } from "./role.ts";
import { evolvePlain, refuseSameStatus, type Status } from "./status.ts";
import { type ActedUser, type Acting, refuseActing } from "./user/state/acting.ts";
import { isMember } from "./user/state/joined.ts";
import type { UserState } from "./user/state/user.ts";
import type { GrantRemoved } from "./user/status.ts";

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
  /** That by which the organization of the user has the project, where it is another's. */
  readonly projectGrantId?: string;
  readonly groupId?: undefined;
}

/** The same of a group in the place of a user: each of its members holds them. */
export interface GrantedToGroup extends Pick<Granted, "projectId" | "roleIds" | "projectGrantId"> {
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
    "user.grant.removed": "It was removed, alone or with what it rests on, or with its last role",
    "group.grant.added": "The members of a group were granted roles of a project",
    "group.grant.changed": "The roles of the grant were replaced, or one of them was removed",
    "group.grant.removed": "It was removed, alone or with what it rests on, or with its last role",
  },
  secrets: [],
  evolve: evolvePlain,
  claimRefusals: {
    "grant.user": rejectionFor("USER_GRANT_EXISTS"),
    "grant.group": rejectionFor("GROUP_GRANT_EXISTS"),
    "grant.project": rejectionFor("USER_GRANT_EXISTS"),
    "grant.role": rejectionFor("USER_GRANT_EXISTS"),
    "grant.projectGrant": rejectionFor("USER_GRANT_EXISTS"),
  },
  claims: (state) => {
    const { groupId, projectId, roleIds, projectGrantId } = state;
    const [own, value] =
      groupId === undefined
        ? [grantsOf(state.userId), state.userId]
        : [grantsOfGroup(groupId), groupId];
    return [
      { ...own, value: projectId },
      { ...grantsOn(projectId), value },
      ...roleIds.map((id) => ({ ...grantsWith(id), value })),
      ...(projectGrantId === undefined ? [] : [{ ...grantsBy(projectGrantId), value }]),
    ];
  },
  // Those of groups are listed by their group.
  row: ({ projectId, organization, groupId, projectGrantId = "", ...held }) => ({
    parent: groupId ?? organization,
    fields: { userId: held.userId ?? "", projectId, userType: held.userType ?? "", projectGrantId },
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

/** The claims of which each grant by a project grant holds one: its user or group. */
export function grantsBy(projectGrantId: string): ClaimGroup {
  return { kind: "grant.projectGrant", scope: projectGrantId };
}

/** All that a grant rests on. */
export interface Resting extends Reach {
  readonly grant: GrantState | undefined;
  readonly user: UserState | undefined;
  /** The group that holds the grant; left out where the user does. */
  readonly group?: GroupState | undefined;
  /** Those that the grant names, in its order; undefined for one that is gone. */
  readonly roles: readonly (RoleState | undefined)[];
}

/** The keys of the roles that a user holds by a grant: of none that rests on something ended. */
export function rolesOf(resting: Resting): readonly string[] {
  const { grant: state, user, group, project, projectGrant, roles } = resting;
  const by = state?.projectGrantId === undefined ? [] : [projectGrant];
  const isOut = [state, user, project, ...by].some((one) => one === undefined || one.isInactive);
  if (isOut || (state?.groupId && !(group && user && isMember(user, state.groupId)))) return [];
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

/** The roles that are given in an organization: undefined for keys that the project lacks. */
export interface GivenRoles {
  readonly organization: string;
  readonly projectId: string;
  readonly roleIds: readonly (string | undefined)[];
  readonly projectGrantId?: string;
}

/** A user to whom roles are given. */
export interface Giving extends ActedUser, GivenRoles {}

/** Grants a user roles of a project, where there is room: the number of its grants is `held`. */
export function addGrant(states: Granting, given: Giving): GrantDecision {
  return refuseActing(states, given) ?? giveRoles(states, given);
}

/** Grants roles to any holder, as far as the organization may give them. */
export function giveRoles(states: Omit<Granting, "caller">, given: Giving): GrantDecision {
  const { userId, projectId } = given;
  const refused = refuseReach(states, given);
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
  return refuseGrant(states, given) ?? replaceRoles(states, given);
}

/** Replaces the roles of a grant that is there, with any holder. */
export function replaceRoles(
  states: NamedRoles & Reach & { readonly grant: GrantState | undefined },
  given: GivenRoles,
): GrantDecision {
  const roleIds = rolesToGive(states, given);
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
export function refuseReach(
  { project, projectGrant }: Reach,
  { organization, projectId, projectGrantId }: Omit<GivenRoles, "roleIds">,
): Refusal | undefined {
  if (projectGrantId === undefined) {
    return isIn(project, organization) ? undefined : reject("PROJECT_NOT_FOUND");
  }
  const isTheirs = projectGrant?.grantedOrgId === organization;
  const isThere = isTheirs && projectGrant.projectId === projectId && project !== undefined;
  return isThere ? undefined : reject("PROJECT_GRANT_NOT_FOUND");
}

/** What events of a grant begin with. */
export function holderOf({ groupId }: GrantState): "user" | "group" {
  return groupId === undefined ? "user" : "group";
}

/** The ids of the roles, each once; undefined where the organization may not give one. */
export function rolesToGive(
  states: NamedRoles & Pick<Reach, "projectGrant">,
  given: GivenRoles,
): readonly string[] | undefined {
  const { roleIds: granted } = states.projectGrant ?? {};
  const known = knownRoles(states, given);
  return known?.every((id) => granted?.includes(id) ?? true) ? known : undefined;
}
