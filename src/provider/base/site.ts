import { hashSecret } from "../../secrets/tokens.ts";
import type { ProviderParts } from "./parts.ts";

/** The paths of the compatible API. */
export const routes = {
  authorization: "/oauth/v2/authorize",
  token: "/oauth/v2/token",
  revocation: "/oauth/v2/revoke",
  jwks: "/oauth/v2/keys",
  userinfo: "/oidc/v1/userinfo",
  end_session: "/oidc/v1/end_session",
  device_authorization: "/oauth/v2/device_authorization",
  code_verification: "/device",
} as const;

/** The path of introspection, which the library has no part in. */
export const introspectionPath = "/oauth/v2/introspect";

/** The parameter by which an application says which identity provider people are to log in by. */
export const hintParameter = "idp_hint";

/** The path below `/idps/` to which a provider leads browsers back. */
export const providerCallback = "/idps/:idpId/callback";

/** Where a proxy of a JWT provider hands a token over, as the compatible API has it. */
export const jwtPath = "/idps/jwt";

/** Whether browsers reach the service by https, wherever TLS ends. */
export function isSecure({ publicUrl }: Pick<ProviderParts, "publicUrl">): boolean {
  return publicUrl().startsWith("https:");
}

/** Cookies of the browser; with https nobody but this host sets them. */
export function cookieNames(site: Pick<ProviderParts, "publicUrl">) {
  const [host, path] = isSecure(site) ? ["__Host-", "__Secure-"] : ["", ""];
  return {
    session: `${host}iam.session`,
    browser: `${host}iam.browser`,
    forgotten: `${host}iam.forgotten`,
    // Each login has a cookie of its own, for its path alone: so do two in two windows.
    interaction: `${path}iam.interaction`,
    resume: `${path}iam.resume`,
  };
}

/**
 * The cookie of a browser in which the login with this id began: see `bindLogins`. Cookies of a
 * path are not of this host alone: another one below the same domain may have set those by which
 * the library finds it. The name is short: browsers keep about 180 of a host, and send them all.
 */
export function loginCookie(site: Pick<ProviderParts, "publicUrl">, uid: string): string {
  return `${isSecure(site) ? "__Host-" : ""}iam.login.${hashSecret(uid).slice(0, 8)}`;
}

/** The path that the address of the service has before all of its own; mostly none. */
export function pathOf(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/$/, "");
}
