import { isOfOrganization, organizationScopesIn } from "../base/organization-scope.ts";

/** What the API of this service is called as an audience: no project has such an id. */
export const apiAudience = "iam";

/** The scope of an access token by which its holder may call the API of this service. */
export const apiScope = scopeOf(apiAudience);

/** The bounds on the scopes of one login. */
export const scopeLimits = {
  /** Projects whose applications are to be told of its tokens: of more, the last that it names. */
  audiences: 10,
} as const;

/** The scope that names an audience. */
function scopeOf(audience: string): string {
  return `urn:iam:org:project:id:${audience}:aud`;
}

const audienceForm = /^urn:iam:org:project:id:([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}):aud$/;

/** The ids of projects that scopes name as audiences; whether there are such is not known here. */
export function audiencesIn(scope: string | undefined): readonly string[] {
  const named = (scope ?? "").split(" ").flatMap((one) => audienceForm.exec(one)?.[1] ?? []);
  return [...new Set(named)].slice(-scopeLimits.audiences);
}

/** Whether the scopes have the one of the API of this service among them. */
export function isForApi(scope: string | undefined): boolean {
  return scope?.split(" ").includes(apiScope) ?? false;
}

/** The scopes, but with no more audiences than a login may have, and one organization. */
export function boundScopes(scopes: readonly string[]): string {
  const all = scopes.join(" ");
  const bounded = new Set([...audienceScopesIn(all), ...organizationScopesIn(all)]);
  const isBounded = (one: string) => audienceForm.test(one) || isOfOrganization(one);
  return [...new Set(scopes)].filter((one) => !isBounded(one) || bounded.has(one)).join(" ");
}

/** The scopes that name audiences, of those that are asked for. */
export function audienceScopesIn(scope: string | undefined): readonly string[] {
  return audiencesIn(scope).map(scopeOf);
}
