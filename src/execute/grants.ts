import { type GrantState, grant, grantsOf, keysIn, rolesOf } from "../domain/grant.ts";
import { idOf, streamOf } from "../domain/noun.ts";
import { type ProjectState, project } from "../domain/project.ts";
import { type ProjectGrantState, projectGrant, projectGrantsOf } from "../domain/project-grant.ts";
import { type RoleState, role } from "../domain/role.ts";
import type { HeldRole } from "../domain/user/access.ts";
import { type UserState, user } from "../domain/user/user.ts";
import type { StreamObject } from "../store/objects.ts";
import type { Store } from "../store/store.ts";

/** Reads objects as they count: see `readCounting`. */
export type Read = (streams: readonly string[]) => Promise<readonly StreamObject[]>;

/** A grant with all that it rests on. */
export interface WeighedGrant {
  readonly state: GrantState;
  readonly user: UserState | undefined;
  readonly project: ProjectState | undefined;
  /** That by which it was given, if by one, and if that is there. */
  readonly projectGrant: ProjectGrantState | undefined;
  /** Its roles, in its order; undefined for one that is gone. */
  readonly roles: readonly (RoleState | undefined)[];
  /** The keys of those that are there. */
  readonly keys: readonly string[];
  /** Those that the user holds by it. */
  readonly held: readonly string[];
}

/** Reads what grants rest on, all of it as of one moment. */
export async function weighGrants(
  read: Read,
  states: readonly GrantState[],
): Promise<readonly WeighedGrant[]> {
  const rests = states.map(({ userId, projectId, roleIds, projectGrantId: by }) => ({
    ...{ user: streamOf(user, userId), project: streamOf(project, projectId) },
    roles: roleIds.map((id) => streamOf(role, id)),
    by: by === undefined ? [] : [streamOf(projectGrant, by)],
  }));
  const streams = new Set(rests.flatMap((one) => [one.user, one.project, ...one.by, ...one.roles]));
  const found = streams.size === 0 ? [] : await read([...streams]);
  const objects = new Map(found.map((one) => [one.stream, one.state]));
  return states.map((state, index) => {
    const rest = rests[index];
    const on = {
      user: objects.get(rest?.user ?? "") as UserState | undefined,
      project: objects.get(rest?.project ?? "") as ProjectState | undefined,
      projectGrant: objects.get(rest?.by[0] ?? "") as ProjectGrantState | undefined,
      roles: (rest?.roles ?? []).map((stream) => objects.get(stream) as RoleState | undefined),
    };
    const held = rolesOf({ grant: state, ...on });
    return { state, ...on, keys: keysIn(on.roles), held };
  });
}

/** The roles that a user holds of a project. */
export interface HeldRoles {
  /** The organization in which they were granted. */
  readonly organization: string;
  /** Their keys, at least one. */
  readonly keys: readonly string[];
  readonly state: GrantState;
  /** One of them, and the grant. */
  readonly first: HeldRole;
  readonly firstState: RoleState;
}

/** Reads the roles that a user holds of a project now; undefined for none. */
export async function readRoles(
  { find }: Pick<Store, "find">,
  read: Read,
  { userId, projectId }: { readonly userId: string; readonly projectId: string },
): Promise<HeldRoles | undefined> {
  const stream = await find({ ...grantsOf(userId), value: projectId });
  if (stream === undefined) return undefined;
  const [stored] = await read([stream]);
  const state = stored?.state as GrantState | undefined;
  if (state === undefined) return undefined;
  const [weighed] = await weighGrants(read, [state]);
  const { held: keys = [], roles = [] } = weighed ?? {};
  const index = roles.findIndex((one) => one !== undefined);
  const [roleId, firstState] = [state.roleIds[index], roles[index]];
  if (keys.length === 0 || roleId === undefined || firstState === undefined) return undefined;
  const { organization } = state;
  return { organization, keys, state, first: { grantId: idOf(grant, stream), roleId }, firstState };
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
  const stream = await find({ ...projectGrantsOf(projectId), value: organization });
  const [stored] = stream === undefined ? [] : await read([stream]);
  const state = stored?.state as ProjectGrantState | undefined;
  return state && stored && { id: idOf(projectGrant, stored.stream), state };
}
