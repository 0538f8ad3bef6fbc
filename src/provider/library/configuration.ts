import type { Account, Configuration, KoaContextWithOIDC } from "oidc-provider";
import { withAliases } from "../../alias.ts";
import { signingAlgorithms } from "../../domain/signing.ts";
import { claimsOfScope } from "../../domain/user/claims.ts";
import { acrs } from "../../domain/user/login/acr.ts";
import { loginLimits } from "../../domain/user/state/login-limits.ts";
import { languages } from "../../text/language.ts";
import { deviceLimits } from "../base/device.ts";
import type { ProviderParts } from "../base/parts.ts";
import { mayLogIn } from "../base/roles.ts";
import { type FoundUser, findUserOnce } from "../base/rows.ts";
import {
  cookieNames,
  hintParameter,
  introspectionPath,
  isSecure,
  pathOf,
  routes,
} from "../base/site.ts";
import { claimsByActions } from "../token/actions.ts";
import { tellOrganization } from "../token/beyond.ts";
import { toldClaims } from "../token/claims.ts";
import { oursOf, responseTypes } from "../token/client.ts";
import { extraOf } from "../token/extra.ts";
import { tellGroupsInToken } from "../token/groups.ts";
import { jwkOf, type Keys } from "../token/keys.ts";
import { roomBeside, tellRolesInToken } from "../token/roles.ts";
import { isOfOrganizations, namedScopes } from "../token/scopes.ts";
import { createAdapter, type Request } from "./adapter.ts";
import { grantFor } from "./grant.ts";
import { setByActions } from "./id-token.ts";
import { needsPKCE } from "./pending.ts";
import type { Screens } from "./screens.ts";

/** Seconds for which things are valid. */
export const lifetimes = {
  /** A code: until the application has fetched its tokens. */
  code: 60,
  accessToken: 60 * 60,
  /** One that others check by themselves: until it expires they do not hear that it was revoked. */
  envelopedToken: 5 * 60,
  idToken: 60 * 60,
  /** A refresh token that is not used; each use makes another one. */
  refreshToken: 14 * 24 * 60 * 60,
  /** What a person granted by its last login, where tokens outlive the session. */
  lastingGrant: 90 * 24 * 60 * 60,
  /** A login that somebody has begun. */
  interaction: 60 * 60,
} as const;

/** By which applications prove themselves, wherever they have to. */
const provingMethods = ["client_secret_basic", "client_secret_post", "private_key_jwt"] as const;
const clientAuthMethods = [...provingMethods, "none"] as const;

interface Made {
  readonly keys: Keys;
  readonly request: Request;
  readonly screens: Screens;
  readonly policy: NonNullable<NonNullable<Configuration["interactions"]>["policy"]>;
}

/** How the library is to behave. What is not switched on here is neither offered nor advertised. */
export function configurationOf(parts: ProviderParts, made: Made): Configuration {
  const secure = isSecure(parts);
  const { browser: _ours, forgotten: _too, ...names } = cookieNames(parts);
  const cookie = { httpOnly: true, sameSite: "lax", signed: false, secure } as const;
  return {
    adapter: (name) => createAdapter(name, parts, made.request),
    jwks: { keys: made.keys.published.map(jwkOf) },
    routes,
    scopes: ["openid", "offline_access", ...namedScopes],
    acrValues: Object.values(acrs),
    claims: claims(),
    extraClientMetadata: { properties: ["ours"] },
    // A method by which the stored hash would be a key is not among these.
    clientAuthMethods: [...clientAuthMethods],
    enabledJWA: {
      // Of these, what the keys are for that are published.
      idTokenSigningAlgValues: [...signingAlgorithms],
      userinfoSigningAlgValues: [...signingAlgorithms],
      introspectionSigningAlgValues: [...signingAlgorithms],
      requestObjectSigningAlgValues: ["RS256"],
      authorizationSigningAlgValues: [...signingAlgorithms],
      clientAuthSigningAlgValues: ["RS256"],
    },
    extraParams: [hintParameter],
    clientDefaults: { id_token_signed_response_alg: made.keys.signer.algorithm },
    // A login to the account page leads to nothing else.
    responseTypes: [...responseTypes, "none"],
    subjectTypes: ["public"],
    discovery: {
      ...introspection(parts),
      revocation_endpoint_auth_methods_supported: [...clientAuthMethods],
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      prompt_values_supported: [
        "none",
        ...made.policy.flatMap(({ name, requestable }) => (requestable ? [name] : [])),
      ],
      ui_locales_supported: [...languages],
      claims_locales_supported: undefined,
    },
    cookies: { names, long: { ...cookie, path: "/" }, short: cookie },
    clockTolerance: 5,
    allowOmittingSingleRegisteredRedirectUri: false,
    clientBasedCORS: (_ctx, origin, client) => oursOf(client).origins.includes(origin),
    pkce: { required: (_ctx, client) => needsPKCE(client) },
    features: featuresOf(made),
    renderError: made.screens.error,
    interactions: {
      policy: made.policy,
      url: (_ctx, { uid }) => `${pathOf(parts.publicUrl())}/ui/login/${uid}`,
    },
    findAccount: (ctx, id) => findAccount(parts, ctx, id),
    loadExistingGrant: async (ctx) => {
      // In a session no login is begun, and a code keeps what was asked for: all but the hint.
      made.request.refuseLong({ ...ctx.oidc.params, id_token_hint: undefined });
      return await grantFor(parts, ctx);
    },
    issueRefreshToken: async (_ctx, client, { scopes }) =>
      client.grantTypeAllowed("refresh_token") && scopes.has("offline_access"),
    rotateRefreshToken: true,
    extraTokenClaims: async (_ctx, token) => ({ ...(await extraOf(parts, token)) }),
    ttl: livesOf(parts),
  };
}

type Features = NonNullable<Configuration["features"]>;

/** What is offered. The pages for the code of a device are ours, but for how that ends. */
function featuresOf({ screens }: Pick<Made, "screens">): Features {
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    resourceIndicators: { enabled: false },
    claimsParameter: { enabled: true },
    clientCredentials: { enabled: true },
    deviceFlow: {
      enabled: true,
      // What asks is not kept: the code alone says whose the device is.
      deviceInfo: () => ({}),
      userCodeInputSource: async (ctx, _form, out, cause) => {
        // The library has put a secret there for a form of its own, and would save it.
        Object.assign(ctx.oidc.session ?? {}, { touched: false });
        if (out !== undefined && cause !== undefined) await screens.error(ctx, out, cause);
      },
      successSource: screens.deviceAllowed,
    },
    revocation: {
      enabled: true,
      allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
    },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: screens.logout,
      postLogoutSuccessSource: screens.loggedOut,
    },
  };
}

const sessionSeconds = loginLimits.sessionMs / 1_000;

/** For how long each kind of thing is kept. */
const livesOf = ({ now }: Pick<ProviderParts, "now">): NonNullable<Configuration["ttl"]> => ({
  AccessToken: (_ctx, _token, client) => accessTokenSeconds(client),
  ClientCredentials: (_ctx, _token, client) => accessTokenSeconds(client),
  AuthorizationCode: lifetimes.code,
  DeviceCode: deviceLimits.codeSeconds,
  IdToken: (_ctx, _token, client) => lifetimes.idToken + oursOf(client).skewSeconds,
  RefreshToken: lifetimes.refreshToken,
  Interaction: lifetimes.interaction,
  // It does not go on by being used; that of nobody is the form of a logout.
  Session: (_ctx, { loginTs }) =>
    loginTs === undefined
      ? lifetimes.interaction
      : Math.max(1, Math.ceil(loginTs + sessionSeconds - now() / 1_000)),
  Grant: (_ctx, grant) =>
    grant.getOIDCScope().split(" ").includes("offline_access")
      ? lifetimes.lastingGrant
      : sessionSeconds + lifetimes.refreshToken,
});

function accessTokenSeconds(client: object): number {
  return oursOf(client).isEnveloped ? lifetimes.envelopedToken : lifetimes.accessToken;
}

/** What the library does not know of: see `introspect`. */
function introspection({ publicUrl }: Pick<ProviderParts, "publicUrl">) {
  return {
    introspection_endpoint: publicUrl() + introspectionPath,
    introspection_endpoint_auth_methods_supported: [...provingMethods],
    introspection_endpoint_auth_signing_alg_values_supported: ["RS256"],
  };
}

/**
 * The library lets an id token have the claims of `openid` only, so all stand there; which of them
 * are told is decided in `findAccount`.
 */
function claims(): Configuration["claims"] {
  const { openid, ...scopes } = claimsOfScope;
  const ofLogin = ["acr", "amr", "auth_time"];
  return { ...scopes, openid: [...openid, ...ofLogin, ...Object.values(scopes).flat()] };
}

/** The person, where it may log in to the application that asks; undefined otherwise. */
async function findAccount(
  parts: ProviderParts,
  ctx: KoaContextWithOIDC,
  userId: string,
): Promise<Account | undefined> {
  const found = await findUserOnce(parts, userId);
  const { client } = ctx.oidc;
  if (found === undefined || found.state.isInactive) return undefined;
  if (!isOfOrganizations(found.state, ctx.oidc.params?.scope)) return undefined;
  if (client !== undefined && !(await mayLogIn(parts, found, oursOf(client).project))) {
    return undefined;
  }
  return {
    accountId: userId,
    claims: async (use, scope, asked) => {
      const told = tellsAll(ctx, use) ? scope : "";
      const access =
        client && (await tellAccess(parts, found, { client, scope, isAll: told !== "" }));
      const claims = {
        sub: userId,
        ...toldClaims(found, told, Object.keys(asked ?? {})),
        ...(await tellOrganization(parts, found, told)),
        ...access,
      };
      const bytesMax = roomBeside(withAliases(access ?? {}, parts.alias));
      const set = await claimsByActions(parts, { subject: found, trigger: 4, claims, bytesMax });
      return { ...claims, [setByActions]: set };
    },
  };
}

/** What the id token of an application says of roles and groups. */
async function tellAccess(
  parts: ProviderParts,
  { userId }: FoundUser,
  { client, scope, isAll }: { client: object; scope: string; isAll: boolean },
) {
  const { projectId: own, asserted, project } = oursOf(client);
  const isAsserted = asserted.idToken || (isAll && asserted.project);
  const { organization } = project;
  const roles = await tellRolesInToken(parts, { userId, own, organization, isAsserted, scope });
  const asked = { userId, organization: own && organization, scope };
  return { ...roles, ...(await tellGroupsInToken(parts, asked, roles)) };
}

/** Whether what is answered says what the scopes stand for: OIDC Core 1.0, 5.4. */
function tellsAll({ oidc }: KoaContextWithOIDC, use: string): boolean {
  if (use !== "id_token") return true;
  // Where no access token is issued, nothing else could say it.
  const isAlone = oidc.params?.response_type === "id_token";
  return isAlone || (oidc.client !== undefined && oursOf(oidc.client).assertsUserinfo);
}
