/** Names of the compatible API by which its clients may call this service as well as by its own. */
export const aliases = ["zitadel"] as const;

/** One of these names: what is called after the service is called after that, too. */
export type Alias = (typeof aliases)[number];

/** What is called in another way than by a name alone, as it is here and there. */
const pairs = {
  zitadel: {
    method: ["ListMyIAMPermissions", "ListMyZitadelPermissions"],
    path: ["/auth/v1/permissions/iam/me/_search", "/auth/v1/permissions/zitadel/me/_search"],
    // What one of its clients still calls by the name of before.
    package: ["/iam.user.v2.", "/iam.user.v2beta."],
  },
} as const;

/** What a package, a type, a method or a file of the contract is called by an alias. */
export function aliasOfName(name: string, alias: Alias): string {
  return name.replace(/^(\.?)iam(?=[./])/, `$1${alias}`).replace(...pairs[alias].method);
}

/** The header that chooses the organization, as an alias calls it. */
export function aliasOfHeader(alias: Alias): string {
  return `x-${alias}-orgid`;
}

/** The target of a request as it is here, where it is one of the alias. */
export function ownTarget(target: string, alias: Alias): string {
  const { method, path, package: named } = pairs[alias];
  const [ownPath, aliasPath] = path;
  const given = target.replace(host, "");
  if (given === aliasPath) return ownPath;
  if (!given.startsWith(`/${alias}.`)) return target;
  const own = given.replace(alias, "iam").replace(named[1], named[0]);
  return own.endsWith(`/${method[1]}`) ? own.replace(method[1], method[0]) : own;
}

/** What stands before the path where a request is sent as to a proxy. */
const host = /^https?:\/\/[^/?#]*/i;

const ownUrn = "urn:iam:";

function urnOf(alias: Alias): string {
  return `urn:${alias}:iam:`;
}

/** A scope as it is called here. */
export function ownScope(scope: string, alias: Alias): string {
  const urn = urnOf(alias);
  if (!scope.startsWith(urn)) return scope;
  return ownUrn + scope.slice(urn.length).replace(`project:id:${alias}:aud`, "project:id:iam:aud");
}

/** Claims by their names, those of ours by the names of the alias as well. */
export function withAliases(claims: Claims, alias: Alias | undefined): Claims {
  if (alias === undefined) return claims;
  const theirs = Object.entries(claims).flatMap(([name, value]) =>
    name.startsWith(ownUrn) ? [[urnOf(alias) + name.slice(ownUrn.length), value] as const] : [],
  );
  return { ...claims, ...Object.fromEntries(theirs) };
}

interface Claims {
  readonly [name: string]: unknown;
}
