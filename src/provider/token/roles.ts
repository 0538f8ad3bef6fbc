import { withAliases } from "../../alias.ts";
import type { ProviderParts } from "../base/parts.ts";
import { findRoles, hasProject } from "../base/roles.ts";
import type { Rows } from "../base/rows.ts";
import type { Claims } from "./jws.ts";
import { apiAudience, audiencesIn, projectsRolesScope, roleKeysIn } from "./scopes.ts";

/** Which roles of a user are asked for. */
export interface AskedRoles {
  readonly userId: string;
  /** The project of the application that is told; undefined for a machine by itself. */
  readonly own: string | undefined;
  /** That of the application or machine: other projects are told that it has, and no others. */
  readonly organization: string;
  /** Whether all roles of that are asked for, whatever the scope says. */
  readonly isAsserted: boolean;
  readonly scope: string;
  /** Whom the token is for by which they are told, besides its application and that project. */
  readonly audience?: readonly string[];
}

/** The bounds on what tokens say of roles. */
export const roleClaimLimits = {
  /** Roles that a token names; of more, it says that there are some. */
  ofToken: 100,
  /** UTF-8 bytes of their claims as JSON: with them a token fits a header field of 16 KiB. */
  bytesOfToken: 10 * 1024,
} as const;

/** The claim of a token that would name too many roles: userinfo and introspection name them. */
export const omittedClaim = "urn:iam:org:project:roles:omitted";

/** The roles of one project that are told. */
interface ToldRoles {
  readonly projectId: string;
  /** By their keys, the organizations in which they were granted. */
  readonly roles: Map<string, { readonly [organization: string]: "" }>;
}

/** What userinfo says of roles: all that are asked for. */
export async function tellRoles(rows: Rows, asked: AskedRoles): Promise<Claims> {
  return claimsOf(await findTold(rows, asked, audiencesIn(asked.scope)), asked);
}

/** What introspection says of them: those of the project that asks, and of no other. */
export async function tellOwnRoles(rows: Rows, asked: AskedRoles): Promise<Claims> {
  return claimsOf(await findTold(rows, asked, []), asked);
}

/** What a token says of them, which has room for so many. */
export async function tellRolesInToken(
  parts: Rows & Pick<ProviderParts, "alias">,
  asked: AskedRoles,
): Promise<Claims> {
  const told = await findTold(parts, asked, audiencesIn(asked.scope));
  const count = told.reduce((sum, { roles }) => sum + roles.size, 0);
  const claims = claimsOf(told, asked);
  const { ofToken, bytesOfToken } = roleClaimLimits;
  const bytes = Buffer.byteLength(JSON.stringify(withAliases(claims, parts.alias)));
  const isLarge = count > ofToken || bytes > bytesOfToken;
  // Some of them would look like all.
  return isLarge ? { [omittedClaim]: true } : claims;
}

/** UTF-8 bytes that a token has left for other claims of ours, beside what it says of roles. */
export function roomBeside(told: Claims): number {
  return roleClaimLimits.bytesOfToken - Buffer.byteLength(JSON.stringify(told));
}

/** The roles that are asked for of the own project and of others, and that the user holds. */
async function findTold(
  rows: Rows,
  { userId, own, organization: asking, isAsserted, scope }: AskedRoles,
  others: readonly string[],
): Promise<readonly ToldRoles[]> {
  const keys = roleKeysIn(scope);
  const asksForAll = scope.split(" ").includes(projectsRolesScope);
  const named = asksForAll || keys.length > 0 ? others : [];
  const all = new Set([...(own === undefined ? [] : [own]), ...named]);
  const told: ToldRoles[] = [];
  for (const projectId of all) {
    const isWhole = asksForAll || (isAsserted && projectId === own);
    if (!isWhole && keys.length === 0) continue;
    const held = await findRoles(rows, userId, projectId);
    const of = held[0]?.rest.project;
    if (of === undefined || !(await hasProject(rows, asking, { ...of, projectId }))) continue;
    const roles: ToldRoles["roles"] = new Map();
    for (const { organization, keys: granted } of held) {
      for (const key of granted.filter((one) => isWhole || keys.includes(one))) {
        roles.set(key, { ...roles.get(key), [organization]: "" });
      }
    }
    if (roles.size > 0) told.push({ projectId, roles });
  }
  return told;
}

/**
 * The claims of each project, and those of the own one under a name that needs no id, unless
 * another project is told, too, which would take them for roles of its own.
 */
function claimsOf(
  told: readonly ToldRoles[],
  { own, audience = [] }: Pick<AskedRoles, "own" | "audience">,
): Claims {
  const isForOwn = audience.every((id) => id === own || id === apiAudience);
  const claims = told.flatMap(({ projectId, roles }) => {
    const granted = Object.fromEntries(roles);
    const named = [`urn:iam:org:project:${projectId}:roles`, granted] as const;
    const isShort = isForOwn && projectId === own;
    return isShort ? [named, ["urn:iam:org:project:roles", granted] as const] : [named];
  });
  return Object.fromEntries(claims);
}
