import type { Account, Configuration, KoaContextWithOIDC } from "oidc-provider";
import { loginLimits } from "../domain/user/login-state.ts";
import { languages } from "../text/language.ts";
import { createAdapter, type Request } from "./adapter.ts";
import { claimsOfScope, toldClaims } from "./claims.ts";
import { oursOf, responseTypes } from "./client.ts";
import { enveloped } from "./envelope.ts";
import { grantFor } from "./grant.ts";
import type { Keys } from "./keys.ts";
import type { ProviderParts } from "./parts.ts";
import { findUser, mayLogIn } from "./rows.ts";
import type { Shown } from "./shown.ts";

/** Seconds for which things are good. */
export const lifetimes = {
  /** A code: until the application has fetched its tokens. */
  code: 60,
  accessToken: 60 * 60,
  /** One that others check by themselves: for so long they do not hear that it is good no more. */
  envelopedToken: 5 * 60,
  idToken: 60 * 60,
  /** A refresh token that is not used; each use makes another one. */
  refreshToken: 14 * 24 * 60 * 60,
  /** A login that somebody has begun. */
  interaction: 60 * 60,
} as const;

/** The paths of the compatible API. */
export const routes = {
  authorization: "/oauth/v2/authorize",
  token: "/oauth/v2/token",
  revocation: "/oauth/v2/revoke",
  jwks: "/oauth/v2/keys",
  userinfo: "/oidc/v1/userinfo",
  end_session: "/oidc/v1/end_session",
} as const;

/** The path of introspection, which the library has no part in. */
export const introspectionPath = "/oauth/v2/introspect";

/** Cookies of the browser; with https nobody but this host sets them. */
export function cookieNames(isSecure: boolean) {
  const host = isSecure ? "__Host-" : "";
  // Each login has a cookie of its own, for its path alone: so do two in two windows.
  const path = isSecure ? "__Secure-" : "";
  return {
    session: `${host}iam.session`,
    browser: `${host}iam.browser`,
    interaction: `${path}iam.interaction`,
    resume: `${path}iam.resume`,
  };
}

interface Made {
  readonly keys: Keys;
  readonly request: Request;
  readonly shown: Shown;
  readonly policy: NonNullable<Configuration["interactions"]>["policy"];
}

/** How the library is to behave. What is not switched on here is neither offered nor advertised. */
export function configurationOf(parts: ProviderParts, made: Made): Configuration {
  const isSecure = parts.publicUrl().startsWith("https:");
  const { browser: _ours, ...names } = cookieNames(isSecure);
  const cookie = { httpOnly: true, sameSite: "lax", signed: false, secure: isSecure } as const;
  return {
    adapter: (name) => createAdapter(name, parts, made.request),
    jwks: { keys: [...made.keys.jwks] },
    routes,
    scopes: ["openid", "offline_access"],
    claims: claims(),
    extraClientMetadata: { properties: ["ours"] },
    // A method by which the stored hash would be a key is not among these.
    clientAuthMethods: ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"],
    enabledJWA: {
      idTokenSigningAlgValues: ["RS256"],
      userinfoSigningAlgValues: ["RS256"],
      introspectionSigningAlgValues: ["RS256"],
      requestObjectSigningAlgValues: ["RS256"],
      authorizationSigningAlgValues: ["RS256"],
      clientAuthSigningAlgValues: ["RS256"],
    },
    responseTypes: [...responseTypes],
    subjectTypes: ["public"],
    discovery: {
      ...introspection(parts),
      ui_locales_supported: [...languages],
      claims_locales_supported: undefined,
    },
    cookies: { names, long: { ...cookie, path: "/" }, short: cookie },
    clockTolerance: 5,
    allowOmittingSingleRegisteredRedirectUri: false,
    clientBasedCORS: (_ctx, origin, client) => oursOf(client).origins.includes(origin),
    pkce: { required: (_ctx, client) => client.tokenEndpointAuthMethod === "none" },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      claimsParameter: { enabled: true },
      clientCredentials: { enabled: true },
      revocation: {
        enabled: true,
        allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
      },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: made.shown.logout,
        postLogoutSuccessSource: made.shown.loggedOut,
      },
    },
    renderError: made.shown.error,
    interactions: {
      policy: made.policy,
      url: (_ctx, { uid }) => `${pathOf(parts)}/ui/login/${uid}`,
    },
    findAccount: (ctx, id) => findAccount(parts, ctx, id),
    loadExistingGrant: (ctx) => grantFor(parts, ctx),
    issueRefreshToken: async (_ctx, client, { scopes }) =>
      client.grantTypeAllowed("refresh_token") && scopes.has("offline_access"),
    rotateRefreshToken: true,
    extraTokenClaims: async (_ctx, token) =>
      token.client && oursOf(token.client).isEnveloped ? enveloped : undefined,
    ttl: lives,
  };
}

/** For how long each kind of thing is kept. */
const lives: NonNullable<Configuration["ttl"]> = {
  AccessToken: (_ctx, _token, client) => accessTokenSeconds(client),
  ClientCredentials: (_ctx, _token, client) => accessTokenSeconds(client),
  AuthorizationCode: lifetimes.code,
  IdToken: lifetimes.idToken,
  RefreshToken: lifetimes.refreshToken,
  Interaction: lifetimes.interaction,
  Session: loginLimits.sessionMs / 1_000,
  // It outlives all that comes from it.
  Grant: loginLimits.sessionMs / 1_000 + lifetimes.refreshToken,
};

function accessTokenSeconds(client: object): number {
  return oursOf(client).isEnveloped ? lifetimes.envelopedToken : lifetimes.accessToken;
}

/** The path that the address of the service has before all of its own; mostly none. */
export function pathOf({ publicUrl }: Pick<ProviderParts, "publicUrl">): string {
  return new URL(publicUrl()).pathname.replace(/\/$/, "");
}

/** What the library does not know of: see `introspect`. */
function introspection({ publicUrl }: Pick<ProviderParts, "publicUrl">) {
  return {
    introspection_endpoint: publicUrl() + introspectionPath,
    introspection_endpoint_auth_methods_supported: ["client_secret_basic", "private_key_jwt"],
    introspection_endpoint_auth_signing_alg_values_supported: ["RS256"],
  };
}

/**
 * The library lets an id token have the claims of `openid` only, so all stand there; which of them
 * are told is decided in `findAccount`.
 */
function claims(): Configuration["claims"] {
  const { openid, ...scopes } = claimsOfScope;
  const ofLogin = ["amr", "auth_time"];
  return { ...scopes, openid: [...openid, ...ofLogin, ...Object.values(scopes).flat()] };
}

/** The person, where it may log in to the application that asks; undefined otherwise. */
async function findAccount(
  parts: ProviderParts,
  ctx: KoaContextWithOIDC,
  userId: string,
): Promise<Account | undefined> {
  const found = await findUser(parts, userId);
  const { client } = ctx.oidc;
  if (found === undefined || found.state.isInactive) return undefined;
  if (client !== undefined && !mayLogIn(found, oursOf(client).project)) return undefined;
  return {
    accountId: userId,
    claims: (use, scope, asked) => ({
      sub: userId,
      ...toldClaims(found, tellsAll(ctx, use) ? scope : "", Object.keys(asked ?? {})),
    }),
  };
}

/** Whether what is answered says what the scopes stand for: OIDC Core 1.0, 5.4. */
function tellsAll({ oidc }: KoaContextWithOIDC, use: string): boolean {
  if (use !== "id_token") return true;
  // Where no access token is issued, nothing else could say it.
  const isAlone = oidc.params?.response_type === "id_token";
  return isAlone || (oidc.client !== undefined && oursOf(oidc.client).assertsUserinfo);
}
