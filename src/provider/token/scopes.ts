import { organizationIn, organizationScope } from "../base/policy.ts";

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

/** The scopes, but naming no more audiences than a login may have, and one organization. */
export function boundScopes(scopes: readonly string[]): string {
  const bounded = new Set(namingScopesIn(scopes.join(" ")));
  const isNaming = (one: string) => audienceForm.test(one) || organizationIn(one) !== undefined;
  return [...new Set(scopes)].filter((one) => !isNaming(one) || bounded.has(one)).join(" ");
}

/** The scopes that name audiences or the organization, of those that are asked for. */
export function namingScopesIn(scope: string | undefined): readonly string[] {
  const organization = organizationIn(scope);
  return [
    ...audiencesIn(scope).map(scopeOf),
    ...(organization === undefined ? [] : [organizationScope(organization)]),
  ];
}
