import type { ClaimsParameter } from "oidc-provider";
import { withAliases } from "../../alias.ts";
import type { ProviderParts } from "../base/parts.ts";
import { claimsByActions } from "./actions.ts";
import { tellMetadata, tellOrganization } from "./beyond.ts";
import { toldClaims } from "./claims.ts";
import { originsOf } from "./client.ts";
import type { Envelope } from "./envelope.ts";
import { readExtra } from "./extra.ts";
import { namingOrganization, tellGroups } from "./groups.ts";
import { type AskedRoles, tellRoles } from "./roles.ts";
import type { ActionParts } from "./running.ts";
import { type FoundToken, findToken } from "./token.ts";

/** What a request for the claims of a person shows. */
export interface UserinfoRequest {
  readonly authorization: string | undefined;
  /** The token of its form; empty where it has none. */
  readonly posted: string;
  /** The query of its address. */
  readonly query: unknown;
  /** The origin of the script that makes it, where one does. */
  readonly origin: string | undefined;
}

/** What is said to it. */
export interface UserinfoAnswer {
  readonly status: number;
  readonly header: { readonly [name: string]: string };
  readonly body: { readonly [name: string]: unknown };
}

/**
 * Tells what an access token says of its person (OIDC Core 1.0, 5.3): a token of either form, that
 * is shown in one way (RFC 6750, 2). Of scripts, those of its application alone are told.
 */
export async function userinfo(
  parts: ActionParts & Pick<ProviderParts, "publicUrl">,
  envelope: Envelope,
  request: UserinfoRequest,
): Promise<UserinfoAnswer> {
  const realm = parts.publicUrl();
  const { origin } = request;
  const token = tokenOf(request);
  // Any script may read why it is refused, as long as nobody is known whom it speaks for.
  if (typeof token !== "string") return refuse({ realm, origin }, token);
  const found = await findToken(parts, envelope, token);
  if (found === undefined || found.kind === "RefreshToken") {
    return refuse({ realm, origin }, invalidToken);
  }
  const { payload, subject } = found;
  const { scope = "", claims } = payload;
  if (origin !== undefined && !originsFor(found).includes(origin)) {
    return refuse({ realm, origin: undefined }, otherOrigin);
  }
  if (!scope.split(" ").includes("openid")) return refuse({ realm, origin }, noScope);
  const { audience = [] } = readExtra(payload);
  const organization = await namingOrganization(parts, found.client, audience);
  const asked = (claims as ClaimsParameter | undefined)?.userinfo ?? {};
  const claimsOfToken = {
    ...toldClaims(subject, scope, Object.keys(asked)),
    ...(await tellRoles(parts, { ...rolesFor(found), audience })),
    ...(await tellGroups(parts, { userId: subject.userId, organization, scope })),
    ...(await tellOrganization(parts, subject, scope)),
    ...(await tellMetadata(parts, subject, scope)),
  };
  const told = withAliases(claimsOfToken, parts.alias);
  const more = await claimsByActions(parts, { subject, trigger: 4, claims: told });
  return { status: 200, header: scriptFields(origin), body: { ...more, ...told } };
}

/** The roles that are told: all that tokens of the application name, which may leave some out. */
function rolesFor({
  payload: { scope = "" },
  subject: { userId, state },
  client,
}: FoundToken): AskedRoles {
  const { config, project, projectId: own, organization = state.organization } = client ?? {};
  const ofTokens =
    config?.kind === "oidc" && (config.idTokenRoleAssertion || config.accessTokenRoleAssertion);
  const isAsserted = ofTokens || (project?.projectRoleAssertion ?? false);
  return { userId, own, organization, isAsserted, scope };
}

interface Refusal {
  readonly status: number;
  readonly error: string;
  readonly description: string;
  /** The scope that the token lacks. */
  readonly scope?: string;
}

const noToken = unproven("there is no access token");
const invalidToken = unproven("the access token is invalid, expired or revoked");
const noScope: Refusal = {
  ...{ status: 403, error: "insufficient_scope", scope: "openid" },
  description: "the access token is not for the scope openid",
};
const otherOrigin = malformed("the application has no such origin");

function unproven(description: string): Refusal {
  return { status: 401, error: "invalid_token", description };
}

function malformed(description: string): Refusal {
  return { status: 400, error: "invalid_request", description };
}

/** The token that is shown, which has to be one and not in an address, where logs have it. */
function tokenOf({ authorization, posted, query }: UserinfoRequest): string | Refusal {
  if (Object.hasOwn(Object(query), "access_token")) return malformed("the token is in the URL");
  if (authorization === undefined) return posted === "" ? noToken : posted;
  if (posted !== "") return malformed("the token was sent in two ways");
  const [, token] = /^bearer ([\w.~+/-]+=*)$/i.exec(authorization) ?? [];
  return token ?? malformed("the authorization header has no bearer token");
}

function refuse(
  { realm, origin }: { readonly realm: string; readonly origin: string | undefined },
  refusal: Refusal,
): UserinfoAnswer {
  const { status, error, description, scope } = refusal;
  // Who has shown nothing is told how, and not that it was wrong (RFC 6750, 3.1).
  const said = refusal === noToken ? [] : Object.entries({ error, error_description: description });
  const parameters = [
    ["realm", realm],
    ...said,
    ...(scope === undefined ? [] : [["scope", scope]]),
  ];
  const challenge = parameters.map(([name, value]) => `${name}="${value}"`).join(", ");
  return {
    status,
    header: { ...scriptFields(origin), "www-authenticate": `Bearer ${challenge}` },
    body: { error, error_description: description },
  };
}

/** The header fields by which scripts of an origin read an answer; none do without an origin. */
export function scriptFields(origin: string | undefined): UserinfoAnswer["header"] {
  const own = { "access-control-expose-headers": "Retry-After, WWW-Authenticate" };
  const allowed = origin === undefined ? {} : { "access-control-allow-origin": origin };
  return { vary: "Origin", ...own, ...allowed };
}

/** Origins whose scripts may ask with the token; a machine has none. */
function originsFor({ client }: FoundToken): readonly string[] {
  return client?.config.kind === "oidc" ? originsOf(client.config) : [];
}
