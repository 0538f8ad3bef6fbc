import type { Provider } from "oidc-provider";

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

/** The scopes, but with no more audiences than a login may have. */
export function boundScopes(scopes: readonly string[]): string {
  const bounded = new Set(audiencesIn(scopes.join(" ")).map(scopeOf));
  return [...new Set(scopes)]
    .filter((one) => !audienceForm.test(one) || bounded.has(one))
    .join(" ");
}

/**
 * Has the library take scopes that name audiences for such as are offered. It knows those alone
 * that it was given when it was made, and drops all others.
 */
export function offerAudiences({
  OIDCContext: { prototype },
}: Pick<Provider, "OIDCContext">): void {
  const name = "requestParamOIDCScopes";
  const offered = Object.getOwnPropertyDescriptor(prototype, name)?.get;
  if (offered === undefined) throw new TypeError(`the library has no ${name}`);
  Object.defineProperty(prototype, name, {
    get(this: { readonly params?: { readonly scope?: string } }): Set<string> {
      const asked = audiencesIn(this.params?.scope).map(scopeOf);
      return new Set([...(offered.call(this) as Iterable<string>), ...asked]);
    },
  });
}
