import { rejectPermission } from "./admission.ts";
import { accept, type Refusal, reject } from "./decision.ts";
import { type Dependant, type Removal, removeWithDependants } from "./dependants.ts";
import {
  type GivenRoles,
  type GrantDecision,
  type GrantState,
  grantLimits,
  type Reach,
  refuseReach,
  replaceRoles,
  rolesToGive,
} from "./grant.ts";
import { endOfGrant } from "./grant-removal.ts";
import { type GroupDecision, type GroupInput, type GroupState, refuseGroup } from "./group.ts";
import { mustExist } from "./noun.ts";
import { holds } from "./permission.ts";
import type { NamedRoles } from "./role.ts";
import {
  type Acted,
  type ActedUser,
  type Acting,
  refuseActing,
  type UserDecision,
} from "./user/state/acting.ts";
import { isMember, type JoinedEvent, joinedLimits } from "./user/state/joined.ts";

/** A group with the caller, and how many of its members have roles in this service. */
export interface ActingOnGroup extends Pick<Acting, "caller"> {
  readonly group: GroupState | undefined;
  readonly managers: number;
  /** Those of them of whom the caller holds every permission. */
  readonly outranked: number;
}

/** Replaces the name and description of a group. Applications go by its name. */
export function updateGroup(
  states: ActingOnGroup,
  acted: Acted,
  { name, description }: GroupInput,
): GroupDecision {
  const { group: state } = states;
  const refused = refuseGroup(state, acted);
  if (refused !== undefined) return refused;
  if (state?.name === name && state.description === description) return reject("NOTHING_CHANGED");
  const isRenamed = state?.name !== name;
  return (
    (isRenamed ? refuseToMembers(states, acted) : undefined) ??
    accept({ group: [{ type: "group.changed", payload: { name, description } }] })
  );
}

/** Removes a group, and in the same append its grants and that its members are in it. */
export function removeGroup(
  states: Pick<ActingOnGroup, "group"> & { readonly [name: string]: unknown },
  dependants: readonly Dependant[],
  acted: ActedGroup,
): Removal {
  const removed = { kind: "group", id: acted.groupId } as const;
  return refuseGroup(states.group, acted) ?? removeWithDependants(states, dependants, removed);
}

/** A user, the caller and a group that the user is to join or to leave. */
export type ActingOnMember = Acting & Pick<ActingOnGroup, "group">;

/** Makes a user of the organization a member of the group. */
export function addMember(states: ActingOnMember, acted: ActedInGroup): UserDecision {
  const refused = refuseMember(states, acted);
  if (refused !== undefined) return refused;
  const { groups = [] } = states.user ?? {};
  if (isMember({ groups }, acted.groupId)) return reject("MEMBER_EXISTS");
  const { groupsOfUser: most } = joinedLimits;
  if (groups.length >= most) {
    return reject("LIMIT_REACHED", `The user is in ${most} groups: remove it from one first.`);
  }
  return change(acted, "user.group.joined");
}

/** Ends that. */
export function removeMember(states: ActingOnMember, acted: ActedInGroup): UserDecision {
  const refused = refuseMember(states, acted);
  if (refused !== undefined) return refused;
  const isThere = isMember(states.user ?? {}, acted.groupId);
  return isThere ? change(acted, "user.group.left") : reject("MEMBER_NOT_FOUND");
}

/** A user of a group. */
export interface ActedInGroup extends ActedUser {
  readonly groupId: string;
}

function change({ groupId }: ActedInGroup, type: JoinedEvent["type"]): UserDecision {
  return accept({ user: [{ type, payload: { groupId } }] });
}

/** The refusal to give the user what the group has, or to take it. */
function refuseMember(states: ActingOnMember, acted: ActedInGroup): Refusal | undefined {
  return (
    refuseGroup(states.group, acted) ?? refuseActing(states, acted) ?? refuseGranting(states, acted)
  );
}

/** A group, and the project of which roles are granted to it. */
export type Reaching = ActingOnGroup & Reach;

/** Grants each member roles of a project, where the group, which has `held` grants, has room. */
export function grantToGroup(
  states: Reaching & NamedRoles & { readonly held: number },
  { groupId, ...given }: ActedGroup & GivenRoles,
): GrantDecision {
  const refused = refuseToMembers(states, given) ?? refuseReach(states, given);
  if (refused !== undefined) return refused;
  const roleIds = rolesToGive(states, given);
  if (roleIds === undefined) return reject("PROJECT_ROLE_NOT_FOUND");
  const { grantsOfGroup: most } = grantLimits;
  if (states.held >= most) {
    return reject("LIMIT_REACHED", `The group has ${most} grants: remove one first.`);
  }
  const { projectId, projectGrantId } = given;
  const by = projectGrantId === undefined ? {} : { projectGrantId };
  const payload = { groupId, projectId, roleIds, ...by };
  return accept({ grant: [{ type: "group.grant.added", payload }] });
}

/** A group that a call names. */
export interface ActedGroup extends Acted {
  readonly groupId: string;
}

/** A grant of a group. */
export type ReachingByGrant = Reaching & { readonly grant: GrantState | undefined };

/** Replaces the roles of a grant of a group. */
export function updateGroupGrant(
  states: ReachingByGrant & NamedRoles,
  given: ActedGroup & GivenRoles,
): GrantDecision {
  return refuseGrantOf(states, given) ?? replaceRoles(states, given);
}

/** Removes a grant of a group. */
export function removeGroupGrant(states: ReachingByGrant, acted: ActedGroup): GrantDecision {
  return refuseGrantOf(states, acted) ?? accept({ grant: endOfGrant(mustExist(states.grant)) });
}

/** The refusal to act on the group, or on a grant that is not the group's. */
function refuseGrantOf(states: ReachingByGrant, acted: ActedGroup): Refusal | undefined {
  const refused = refuseToMembers(states, acted);
  if (refused !== undefined) return refused;
  const { grant: state } = states;
  const isThere =
    state?.groupId === acted.groupId && refuseReach(states, { ...state, ...acted }) === undefined;
  return isThere ? undefined : reject("GROUP_GRANT_NOT_FOUND");
}

/** The refusal to give each member of the group something, or to take it from each. */
function refuseToMembers(states: ActingOnGroup, acted: Acted): Refusal | undefined {
  const refused = refuseGroup(states.group, acted) ?? refuseGranting(states, acted);
  if (refused !== undefined) return refused;
  // Of very many, not all are looked at: those are not outranked.
  return states.managers === states.outranked ? undefined : reject("ESCALATION_DENIED");
}

/** The refusal to a caller who may not grant in the organization, which owns what groups reach. */
function refuseGranting(
  { caller }: Pick<Acting, "caller">,
  { organization }: Acted,
): Refusal | undefined {
  const scope = { level: "organization", organization } as const;
  if (holds(caller?.memberships ?? [], "user.grant.write", scope)) return undefined;
  return { events: {}, rejection: rejectPermission("user.grant.write", undefined) };
}
