import { createSign, generateKeyPairSync, type KeyObject } from "node:crypto";
import type { Browser } from "./browser.ts";
import type { ExternalParties } from "./external.ts";
import { type Foreign, foreignClient } from "./foreign.ts";
import { type App, type Begun, begin } from "./relying.ts";

type Members = { readonly [name: string]: unknown };

/** What a provider answers, by endpoint; functions answer anew each time. */
export interface Forged {
  /** Members of the discovery document, over those of an honest one. */
  discovery: Members;
  /** Claims of the ID token, over those of an honest one; undefined takes one away. */
  claims: Members;
  /** Signs what the token endpoint answers. */
  sign: (claims: Members) => string;
  /** What userinfo answers. */
  info: Members;
  /** The bodies that take the place of those, by path. */
  bodies: { readonly [path: string]: Forgery };
  /** The nonce of the request that was made last. */
  nonce: string;
}

/** A body, or what answers by itself. */
export type Forgery = string | ((response: import("node:http").ServerResponse) => void);

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
export const otherKey = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey;

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A JWS in its compact form of any header; `sign` makes its signature. */
export function jws(header: Members, claims: Members, sign: (text: string) => string): string {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${sign(text)}`;
}

/** Signs with RS256, by the key of the provider or another one. */
export function signBy(key: KeyObject = privateKey, kid = "forged") {
  return (claims: Members) =>
    jws({ alg: "RS256", kid }, claims, (text) =>
      createSign("RSA-SHA256").update(text).sign(key, "base64url"),
    );
}

/** The public key of the provider as it publishes it. */
export const publicPem = publicKey.export({ type: "spki", format: "pem" }).toString();

/** Has the provider answer what a test says, byte for byte. */
export function forge(foreign: Foreign): Forged {
  const { issuer } = foreign;
  const forged: Forged = {
    ...{ discovery: {}, claims: {}, info: {}, bodies: {}, nonce: "", sign: signBy() },
  };
  const jwk = { ...publicKey.export({ format: "jwk" }), kid: "forged", use: "sig", alg: "RS256" };
  const bodies: { readonly [path: string]: () => object } = {
    "/.well-known/openid-configuration": () => ({
      ...{ issuer, jwks_uri: `${issuer}/jwks`, token_endpoint: `${issuer}/token` },
      ...{ authorization_endpoint: `${issuer}/auth`, userinfo_endpoint: `${issuer}/me` },
      ...{ response_types_supported: ["code"], subject_types_supported: ["public"] },
      ...forged.discovery,
    }),
    "/jwks": () => ({ keys: [jwk] }),
    "/token": () => {
      const nowSeconds = Math.floor(Date.now() / 1_000);
      const claims = {
        ...{ iss: issuer, aud: foreignClient.clientId, sub: "mallory", nonce: forged.nonce },
        ...{ iat: nowSeconds, exp: nowSeconds + 60, ...forged.claims },
      };
      return { access_token: "at", token_type: "Bearer", id_token: forged.sign(claims) };
    },
    "/me": () => ({ sub: "mallory", ...forged.info }),
  };
  foreign.answer = (request, response) => {
    const { pathname } = new URL(request.url ?? "/", issuer);
    const instead = forged.bodies[pathname];
    if (typeof instead === "function") {
      instead(response);
      return true;
    }
    const body = instead ?? (bodies[pathname] && JSON.stringify(bodies[pathname]()));
    if (body === undefined) return false;
    response.writeHead(200, { "content-type": "application/json" }).end(body);
    return true;
  };
  return forged;
}

/** Begins a login that goes straight to a provider; answers where the browser was sent. */
export async function goStraight(
  browser: Browser,
  app: App,
  idpId: string,
  parameters: { readonly [name: string]: string } = {},
): Promise<{ readonly begun: Begun; readonly url: string; readonly state: string }> {
  const begun = await begin(app, { idp_hint: idpId, ...parameters });
  const { url } = await browser.open(begun.url.href);
  return { begun, url, state: new URL(url).searchParams.get("state") ?? "" };
}

/** The address to which a provider sends a browser back. */
export function backOf(
  { server }: Pick<ExternalParties, "server">,
  idpId: string,
  query: { readonly [name: string]: string },
): string {
  return `${server.url}/idps/${idpId}/callback?${new URLSearchParams(query)}`;
}

/** Logs in at a provider that answers what a test says; answers the page that it ends on. */
export async function comeForged(
  parties: ExternalParties,
  forged: Forged,
  {
    app,
    idpId,
    browser = parties.browser(),
    parameters = {},
  }: {
    readonly app: App;
    readonly idpId: string;
    readonly browser?: Browser;
    readonly parameters?: { readonly [name: string]: string };
  },
) {
  const { begun, url, state } = await goStraight(browser, app, idpId, parameters);
  forged.nonce = new URL(url).searchParams.get("nonce") ?? "";
  const page = await browser.open(backOf(parties, idpId, { code: "c", state }));
  return { begun, browser, page };
}
