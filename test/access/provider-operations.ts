import { v7 } from "uuid";
import type { Role } from "../../src/domain/permission.ts";
import type { Given, RequestIds } from "./given.ts";
import { aProvider, aProviderOf, ownedByInstance } from "./given-providers.ts";
import { anywhere, inOrg, type Operation, ofAll, shows } from "./operation.ts";

/** Who may call what about identity providers: rows of `operations`, written out by hand. */

const owner: readonly Role[] = ["IAM_OWNER"];
const managers: readonly Role[] = [...owner, "ORG_OWNER", "ORG_SETTINGS_MANAGER"];
const ofInstance: readonly Role[] = ["IAM_OWNER", "IAM_OWNER_VIEWER"];
const readers: readonly Role[] = [
  ...ofInstance,
  ...["ORG_OWNER" as const, "ORG_OWNER_VIEWER" as const, "ORG_SETTINGS_MANAGER" as const],
];

const url = "https://idp.example.com";
const secret = { clientSecret: "secret" };
const oidc = { clientId: "client", issuer: url };
const jwt = { jwtEndpoint: url, issuer: url, keysEndpoint: url, headerName: "a" };
const options = { providerOptions: { isLinkingAllowed: true } };

const page = () => ({ query: { asc: true, limit: 5 } });
const idp = ({ idp: idpId }: RequestIds) => ({ idpId });
const byId = ({ idp: id }: RequestIds) => ({ id });
const named = (more: object) => () => ({ name: v7(), ...more });
const renamed = (more: object) => (ids: RequestIds) => ({ ...byId(ids), ...named(more)() });
const set = (more: object) => (ids: RequestIds) => ({ ...idp(ids), ...more });

const added = (part: string) => ["idp.config.added", `idp.${part}.config.added`];
const changed = (part: string) => ["idp.config.changed", `idp.${part}.config.changed`];
const inactive = aProviderOf("OIDC", { isInactive: true });

/** The rows by the names of their methods. */
// biome-ignore format: a table
export const providerOperations: { readonly [name: string]: Operation } = {
  AddJWTIDP: forAll(named(jwt), added("jwt")),
  AddOrgJWTIDP: inOrg("org.idp.write", managers, [], named(jwt), added("jwt")),
  AddOIDCIDP: forAll(named({ ...oidc, ...secret }), added("oidc")),
  AddOrgOIDCIDP: inOrg("org.idp.write", managers, [],
    named({ ...oidc, ...secret }), added("oidc")),

  UpdateIDP: onAny((ids) => ({ ...idp(ids), name: v7() }), ["idp.config.changed"]),
  UpdateOrgIDP: onOwn((ids) => ({ ...idp(ids), name: v7() }), ["idp.config.changed"]),
  UpdateIDPOIDCConfig: anywhere("iam.idp.write org.idp.write", managers, ["idp"],
    set({ ...oidc, ...secret }), ["idp.oidc.config.changed"]),
  UpdateOrgIDPOIDCConfig: onOwn(set({ ...oidc, clientId: "other" }),
    ["idp.oidc.config.changed"]),
  UpdateIDPJWTConfig: onAny(set(jwt), ["idp.jwt.config.changed"], aProviderOf("JWT")),
  UpdateOrgIDPJWTConfig: onOwn(set(jwt), ["idp.jwt.config.changed"], aProviderOf("JWT")),
  DeactivateIDP: onAny(idp, ["idp.deactivated"]),
  DeactivateOrgIDP: onOwn(idp, ["idp.deactivated"]),
  ReactivateIDP: onAny(idp, ["idp.reactivated"], inactive),
  ReactivateOrgIDP: onOwn(idp, ["idp.reactivated"], inactive),

  GetIDPByID: ofAll("iam.idp.read", ofInstance, ["anyIDP"], byId),
  GetOrgIDPByID: inOrg("org.idp.read", readers, ["usableIDP"], byId),
  ListIDPs: shows("all", ofAll("iam.idp.read", ofInstance, [], page)),
  ListOrgIDPs: shows("served", inOrg("org.idp.read", readers, [], page)),
  RemoveIDP: onAny(idp, ["idp.removed"]),
  RemoveOrgIDP: shows("nothing", onOwn(idp, ["idp.removed"])),

  ...atBoth("AddGenericOIDCProvider", [], named({ ...oidc, ...secret, ...options }),
    added("oidc")),
  ...atBoth("UpdateGenericOIDCProvider", ["IDP"], renamed({ ...oidc, ...options }),
    changed("oidc"), aProviderOf("OIDC")),
  ...atBoth("AddJWTProvider", [], named({ ...jwt, ...options }), added("jwt")),
  ...atBoth("UpdateJWTProvider", ["IDP"], renamed({ ...jwt, ...options }),
    changed("jwt"), aProviderOf("JWT")),
  ...ofClient("Google", {}, aProviderOf("GOOGLE")),
  ...ofClient("GitHub", {}, aProviderOf("GITHUB")),
  ...ofClient("AzureAD", { emailVerified: true }, aProviderOf("AZURE_AD")),

  "AdminService.GetProviderByID": ofAll("iam.idp.read", ofInstance, ["anyIDP"], byId),
  "ManagementService.GetProviderByID": inOrg("org.idp.read", readers, ["usableIDP"], byId),
  "AdminService.ListProviders": shows("all", ofAll("iam.idp.read", ofInstance, [], page)),
  "ManagementService.ListProviders": shows("served",
    inOrg("org.idp.read", readers, [], page)),
  "AdminService.TestIDP": shows("nothing", ofAll("iam.idp.write", owner, ["anyIDP"], idp)),
  "ManagementService.TestIDP": shows("nothing",
    inOrg("org.idp.write", managers, ["usableIDP"], idp)),
  ...atBoth("DeleteProvider", ["IDP"], byId, ["idp.removed"], aProvider),
};

type Rows = { readonly [name: string]: Operation };
type Request = (ids: RequestIds) => object;

/** An operation that creates one for all organizations, which shows none of these two. */
function forAll(request: Request, events: readonly string[]): Operation {
  return shows("nothing", ofAll("iam.idp.write", owner, [], request, events, ownedByInstance));
}

/** An operation on any provider. */
function onAny(request: Request, events: readonly string[], given = aProvider): Operation {
  return ofAll("iam.idp.write", owner, ["anyIDP"], request, events, given);
}

/** One on a provider of the organization's own. */
function onOwn(request: Request, events: readonly string[], given = aProvider): Operation {
  return inOrg("org.idp.write", managers, ["ownIDP"], request, events, given);
}

/** Both, by a name that both services have; those without an object create one. */
function atBoth(
  name: string,
  objects: readonly "IDP"[],
  request: Request,
  events: readonly string[],
  given?: Given,
): Rows {
  const onOrganization = inOrg("org.idp.write", managers, [], request, events, given);
  const isNew = objects.length === 0;
  return {
    [`AdminService.${name}`]: isNew ? forAll(request, events) : onAny(request, events, given),
    [`ManagementService.${name}`]: { ...onOrganization, objects: isNew ? [] : ["ownIDP"] },
  };
}

/** Those that create and change a provider whose addresses the template knows. */
function ofClient(name: string, more: object, given: Given): Rows {
  const client = { clientId: "client", ...more, ...options };
  const adding = named({ ...client, ...secret });
  return {
    ...atBoth(`Add${name}Provider`, [], adding, added("client")),
    ...atBoth(`Update${name}Provider`, ["IDP"], renamed(client), changed("client"), given),
  };
}
