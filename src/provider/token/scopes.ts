import type { UserState } from "../../domain/user/state/user.ts";
import {
  isOfOrganization,
  isOfProvider,
  organizationPrefix,
  organizationScopesIn,
  providerScopesIn,
} from "../base/organization-scope.ts";

/** What the API of this service is called as an audience: no project has such an id. */
export const apiAudience = "iam";

/** The scope of an access token by which its holder may call the API of this service. */
export const apiScope = scopeOf(apiAudience);

/** The scope that asks for the roles of all projects that are told of a login. */
export const projectsRolesScope = "urn:iam:org:projects:roles";

/** The scope that asks for the metadata of a user, which no token has. */
export const metadataScope = "urn:iam:user:metadata";

/** The scope that asks for the organization of a user. */
export const resourceOwnerScope = "urn:iam:user:resourceowner";

/** The scope that asks for the names of groups, and the claim. */
export const groupsScope = "groups";

/** The scope that asks for the groups of a user by their ids, and the claim. */
export const groupIdsScope = "urn:iam:org:groups";

/** Scopes of ours that say all by their name. */
export const namedScopes = [
  apiScope,
  projectsRolesScope,
  metadataScope,
  resourceOwnerScope,
  groupsScope,
  groupIdsScope,
] as const;

/** The bounds on the scopes of one login. */
export const scopeLimits = {
  /** Projects whose applications are to be told of its tokens: of more, the last that it names. */
  audiences: 10,
  /** Roles that are asked for by their keys: of more, the last that it names. */
  roles: 20,
  /** Characters of the key of a role that a scope asks for: no role has a longer one. */
  roleCharacters: 100,
} as const;

/** The scope that names an audience. */
function scopeOf(audience: string): string {
  return `urn:iam:org:project:id:${audience}:aud`;
}

const audienceForm = /^urn:iam:org:project:id:([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}):aud$/;

/** The ids of projects that scopes name as audiences; whether there are such is not known here. */
export function audiencesIn(scope: string | undefined): readonly string[] {
  return namedBy(audienceForm, scope).slice(-scopeLimits.audiences);
}

/** The scopes without those that name another audience than these; undefined for none. */
export function withAudiences(
  scope: string | undefined,
  audiences: readonly string[] = [],
): string | undefined {
  const isTold = (one: string) => {
    const [, id] = audienceForm.exec(one) ?? [];
    return id === undefined || audiences.includes(id);
  };
  return scope?.split(" ").filter(isTold).join(" ") || undefined;
}

const roleForm = new RegExp(`^urn:iam:org:project:role:(.{1,${scopeLimits.roleCharacters}})$`, "u");

/** The keys of roles that scopes ask for. */
export function roleKeysIn(scope: string | undefined): readonly string[] {
  return namedBy(roleForm, scope).slice(-scopeLimits.roles);
}

/** Whether a user is of every organization that scopes name, whether or not there is such. */
export function isOfOrganizations(
  { organization }: Pick<UserState, "organization">,
  scope: unknown,
): boolean {
  const own = organizationPrefix + organization;
  const named = String(scope ?? "")
    .split(" ")
    .filter(isPrefixed);
  return named.every((one) => one === own);
}

const isPrefixed = (one: string) => one.startsWith(organizationPrefix);

/** What scopes of a form name, each once. */
function namedBy(form: RegExp, scope: string | undefined): readonly string[] {
  const named = (scope ?? "").split(" ").flatMap((one) => form.exec(one)?.[1] ?? []);
  return [...new Set(named)];
}

/** Whether the scopes have the one of the API of this service among them. */
export function isForApi(scope: string | undefined): boolean {
  return scope?.split(" ").includes(apiScope) ?? false;
}

/** The scopes, but with no more of those that name something than a login may have. */
export function boundScopes(scopes: readonly string[]): string {
  const bounded = new Set(namingScopesIn(scopes.join(" ")));
  const isNaming = (one: string) =>
    audienceForm.test(one) || roleForm.test(one) || isOfOrganization(one) || isOfProvider(one);
  return [...new Set(scopes)].filter((one) => !isNaming(one) || bounded.has(one)).join(" ");
}

/** The scopes that name something of ours, of those that are asked for. */
export function namingScopesIn(scope: string | undefined): readonly string[] {
  return [
    ...audiencesIn(scope).map(scopeOf),
    ...roleKeysIn(scope).map((key) => `urn:iam:org:project:role:${key}`),
    ...organizationScopesIn(scope),
    ...providerScopesIn(scope),
    // What is no id of an organization is of nobody: left out, everybody could log in.
    ...(scope ?? "").split(" ").filter((one) => isPrefixed(one) && !isOfOrganization(one)),
  ];
}
