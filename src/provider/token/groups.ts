import { withAliases } from "../../alias.ts";
import { type GroupState, group } from "../../domain/group.ts";
import { idOf, streamOf } from "../../domain/noun.ts";
import { project } from "../../domain/project.ts";
import { readCounting } from "../../execute/owner.ts";
import type { ProviderParts } from "../base/parts.ts";
import { findUserOnce, type Rows } from "../base/rows.ts";
import type { Claims } from "./jws.ts";
import { roleClaimLimits } from "./roles.ts";
import { apiAudience, groupIdsScope, groupsScope } from "./scopes.ts";

/** Which groups of a user are asked for. */
export interface AskedGroups {
  readonly userId: string;
  /** The organization whose groups are told by their names; undefined for none. */
  readonly organization: string | undefined;
  readonly scope: string;
}

/** The bounds on what tokens say of groups; a user is in `joinedLimits.groupsOfUser` at most. */
export const groupClaimLimits = {
  /** UTF-8 bytes of their claims as JSON; those of roles and groups have the room of roles. */
  bytesOfToken: 4 * 1024,
} as const;

/** The claim of a token that has no room for groups: userinfo and introspection name them. */
export const omittedGroupsClaim = "urn:iam:org:groups:omitted";

/**
 * What is told of the groups of a user, where the scope asks for it: the names of those of one
 * organization, and all by their ids, since everybody may give a group the name of another's.
 */
export async function tellGroups(
  rows: Rows,
  { userId, organization, scope }: AskedGroups,
): Promise<Claims> {
  const scopes = scope.split(" ");
  const [areNamed, areListed] = [groupsScope, groupIdsScope].map((one) => scopes.includes(one));
  if (!areNamed && !areListed) return {};
  const found = await findGroups(rows, userId);
  const names = found.flatMap(({ state }) =>
    state.organization === organization ? [state.name] : [],
  );
  const ids = found.map(({ id, state }) => [id, state.organization] as const);
  return {
    ...(areNamed && names.length > 0 ? { [groupsScope]: names } : {}),
    ...(areListed && ids.length > 0 ? { [groupIdsScope]: Object.fromEntries(ids) } : {}),
  };
}

/** The groups that a user is a member of, as their rows have them now. */
async function findGroups(rows: Rows, userId: string) {
  const found = await findUserOnce(rows, userId);
  const streams = (found?.state.groups ?? []).map((id) => streamOf(group, id));
  if (streams.length === 0) return [];
  const stored = await readCounting(rows.objects, rows.objects.current, streams);
  return stored.flatMap(({ stream, state }) =>
    state === undefined ? [] : [{ id: idOf(group, stream), state: state as GroupState }],
  );
}

/** The same in a token that says these roles. */
export async function tellGroupsInToken(
  parts: Rows & Pick<ProviderParts, "alias">,
  asked: AskedGroups,
  roles: Claims,
): Promise<Claims> {
  const claims = await tellGroups(parts, asked);
  const bytesOf = (told: Claims) =>
    Buffer.byteLength(JSON.stringify(withAliases(told, parts.alias)));
  const left = roleClaimLimits.bytesOfToken - bytesOf(roles);
  const isLarge = bytesOf(claims) > Math.min(groupClaimLimits.bytesOfToken, left);
  return isLarge ? { [omittedGroupsClaim]: true } : claims;
}

/**
 * The organization whose groups a token names: that of the project of its application, unless it is
 * for a project of others, who would take the names for those of their groups.
 */
export async function namingOrganization(
  { objects }: Pick<Rows, "objects">,
  client: { readonly projectId?: string; readonly organization: string } | undefined,
  audience: readonly string[],
): Promise<string | undefined> {
  if (!client?.projectId) return undefined;
  const streams = audience.filter((id) => id !== apiAudience).map((id) => streamOf(project, id));
  const meant = streams.length === 0 ? [] : await objects.current(streams);
  const { organization } = client;
  return meant.every(({ owner }) => owner === organization) ? organization : undefined;
}
