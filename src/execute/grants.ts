import type { HeldRole } from "../domain/access.ts";
import {
  type GrantState,
  grant,
  grantLimits,
  grantsOf,
  grantsOfGroup,
  keysIn,
  rolesOf,
} from "../domain/grant.ts";
import { type GroupState, group } from "../domain/group.ts";
import { idOf, makesClaim, streamOf } from "../domain/noun.ts";
import { type ProjectState, project } from "../domain/project.ts";
import { type ProjectGrantState, projectGrant, projectGrantsOf } from "../domain/project-grant.ts";
import { type RoleState, role } from "../domain/role.ts";
import type { ToldGrant } from "../domain/user/claims.ts";
import { type UserState, user } from "../domain/user/state/user.ts";
import type { ClaimGroup } from "../event.ts";
import type { StreamObject } from "../store/objects.ts";
import type { Store } from "../store/store.ts";

/** Reads objects as they count: see `readCounting`. */
export type Read = (streams: readonly string[]) => Promise<readonly StreamObject[]>;

/** A grant with all that it rests on. */
export interface WeighedGrant {
  readonly state: GrantState;
  readonly user: UserState | undefined;
  /** The group that holds it; undefined where a user does. */
  readonly group: GroupState | undefined;
  readonly project: ProjectState | undefined;
  /** That by which it was given, if by one, and if that is there. */
  readonly projectGrant: ProjectGrantState | undefined;
  /** Its roles, in its order; undefined for one that is gone. */
  readonly roles: readonly (RoleState | undefined)[];
  /** The keys of those that are there. */
  readonly keys: readonly string[];
}

/**
 * Reads what grants rest on, all of it as of one moment. The user is the one who holds the grant;
 * of a group's, the one who is asked about.
 */
export async function weighGrants(
  read: Read,
  states: readonly GrantState[],
  asked = "",
): Promise<readonly WeighedGrant[]> {
  const rests = states.map(({ userId = asked, groupId, projectId, roleIds, projectGrantId }) => ({
    ...{ user: streamOf(user, userId), project: streamOf(project, projectId) },
    roles: roleIds.map((id) => streamOf(role, id)),
    group: groupId === undefined ? [] : [streamOf(group, groupId)],
    by: projectGrantId === undefined ? [] : [streamOf(projectGrant, projectGrantId)],
  }));
  const streams = new Set(
    rests.flatMap((one) => [one.user, one.project, ...one.group, ...one.by, ...one.roles]),
  );
  const found = streams.size === 0 ? [] : await read([...streams]);
  const objects = new Map(found.map((one) => [one.stream, one.state]));
  return states.map((state, index) => {
    const rest = rests[index];
    const on = {
      user: objects.get(rest?.user ?? "") as UserState | undefined,
      group: objects.get(rest?.group[0] ?? "") as GroupState | undefined,
      project: objects.get(rest?.project ?? "") as ProjectState | undefined,
      projectGrant: objects.get(rest?.by[0] ?? "") as ProjectGrantState | undefined,
      roles: (rest?.roles ?? []).map((stream) => objects.get(stream) as RoleState | undefined),
    };
    return { state, ...on, keys: keysIn(on.roles) };
  });
}

/** The roles of a project that a user holds by one grant. */
export interface HeldRoles {
  /** The organization in which they were granted. */
  readonly organization: string;
  /** Their keys, at least one. */
  readonly keys: readonly string[];
  /** One of them, and the grant. */
  readonly first: HeldRole;
  /** What that rests on. */
  readonly rest: {
    readonly grant: GrantState;
    readonly group: GroupState | undefined;
    readonly project: ProjectState;
    readonly role: RoleState;
  };
}

/** Reads the roles that a user holds of a project now, by its own grant and those of its groups. */
export async function readRoles(
  { find }: Pick<Store, "find">,
  read: Read,
  { userId, projectId }: { readonly userId: string; readonly projectId: string },
): Promise<readonly HeldRoles[]> {
  const claims = (await holdersOf(read, userId)).map((one) => ({ ...one, value: projectId }));
  const found = await Promise.all(claims.map((one) => find(one)));
  const streams = found.filter((stream) => stream !== undefined);
  return await readHeld(read, streams, { claims, userId });
}

/** Reads the grants by which a user holds roles now, its own and those of its groups. */
export async function readGrants(
  { holders }: Pick<Store, "holders">,
  read: Read,
  userId: string,
): Promise<readonly ToldGrant[]> {
  const claims = await holdersOf(read, userId);
  const found = await Promise.all(claims.map((one) => holders(one, grantLimits.grantsOfUser)));
  const streams = found.flatMap((one) => one.streams);
  const held = await readHeld(read, streams, { claims, userId });
  return held.map(({ first: { grantId: id }, keys: roles, rest }) => {
    const { projectId, projectGrantId = "" } = rest.grant;
    return { id, projectId, projectName: rest.project.name, projectGrantId, roles };
  });
}

/** What the claims of the grants have in common that a user holds, or its groups. */
async function holdersOf(read: Read, userId: string): Promise<readonly ClaimGroup[]> {
  const [person] = await read([streamOf(user, userId)]);
  const { groups = [] } = (person?.state ?? {}) as Partial<UserState>;
  return [grantsOf(userId), ...groups.map(grantsOfGroup)];
}

/** Reads the roles that a user holds now by those of some grants that make one of the claims. */
async function readHeld(
  read: Read,
  streams: readonly string[],
  { claims, userId }: { readonly claims: readonly ClaimGroup[]; readonly userId: string },
): Promise<readonly HeldRoles[]> {
  const all = (streams.length === 0 ? [] : await read(streams)).flatMap(({ stream, state }) =>
    state === undefined ? [] : [{ grantId: idOf(grant, stream), state: state as GrantState }],
  );
  const isTheirs = (state: GrantState) => claims.some((one) => makesClaim(grant, state, one));
  const grants = all.filter(({ state }) => isTheirs(state));
  const states = grants.map(({ state }) => state);
  const weighed = await weighGrants(read, states, userId);
  return weighed.flatMap((one, index) => heldBy(one, grants[index]?.grantId ?? ""));
}

function heldBy(weighed: WeighedGrant, grantId: string): readonly HeldRoles[] {
  const { state, group, project: of, roles } = weighed;
  const keys = rolesOf({ ...weighed, grant: state });
  const index = roles.findIndex((one) => one !== undefined && keys.includes(one.key));
  const [roleId, first] = [state.roleIds[index], roles[index]];
  if (roleId === undefined || first === undefined || of === undefined) return [];
  const { groupId, organization } = state;
  const held = { grantId, roleId, ...(groupId === undefined ? {} : { groupId }) };
  const rest = { grant: state, group, project: of, role: first };
  return [{ organization, keys, first: held, rest }];
}

/** A grant of a project to an organization. */
export interface FoundProjectGrant {
  readonly id: string;
  readonly state: ProjectGrantState;
}

/** Reads the grant of a project to an organization; undefined for none. */
export async function readProjectGrant(
  { find }: Pick<Store, "find">,
  read: Read,
  { projectId, organization }: { readonly projectId: string; readonly organization: string },
): Promise<FoundProjectGrant | undefined> {
  const claim = { ...projectGrantsOf(projectId), value: organization };
  const stream = await find(claim);
  const [stored] = stream === undefined ? [] : await read([stream]);
  const state = stored?.state as ProjectGrantState | undefined;
  if (stored === undefined || state === undefined) return undefined;
  const isTheirs = makesClaim(projectGrant, state, claim);
  return isTheirs ? { id: idOf(projectGrant, stored.stream), state } : undefined;
}
