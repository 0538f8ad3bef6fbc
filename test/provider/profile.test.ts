import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import type { Browser } from "./browser.ts";
import { type App, callback, type Parties, type Person, startParties } from "./relying.ts";

/**
 * The modules of the conformance profiles Basic, Form Post, Config and RP-initiated logout of the
 * OpenID Foundation by their names, as a relying party sees them. What is optional and not offered
 * passes where it is refused as the standard says.
 */

let parties: Parties;
let app: App;
let posting: App;
let person: Person;

beforeAll(async () => {
  parties = await startParties();
  const BASIC = { authMethodType: "OIDC_AUTH_METHOD_TYPE_BASIC" };
  app = await parties.givenApp(BASIC);
  posting = await parties.givenApp({ authMethodType: "OIDC_AUTH_METHOD_TYPE_POST" });
  person = await parties.givenPerson({
    phone: { phone: "+41446681800", isPhoneVerified: true },
  });
});
afterAll(() => parties.close());

type Asked = { readonly [name: string]: string };

/** Sends a browser with what is asked for, logs the person in if need be; where it ends. */
async function ask(asked: Asked, { by = app, browser = parties.browser() } = {}): Promise<URL> {
  const common = { redirect_uri: callback, scope: "openid", state: "abc" };
  const url = oidc.buildAuthorizationUrl(by.config, { ...common, ...asked });
  for (const [name, value] of [...url.searchParams])
    if (value === "") url.searchParams.delete(name);
  await browser.open(url.href);
  return await through(browser);
}

async function through(browser: Browser): Promise<URL> {
  const { userName, password } = person;
  if (browser.page.text.includes('name="password"')) await browser.send({ userName, password });
  if (browser.page.text.includes('value="proceed"')) await browser.send({}, "proceed");
  return new URL(browser.page.url);
}

async function tokensOf(asked: Asked, options: Parameters<typeof ask>[1] = {}) {
  const back = await ask(asked, options);
  const { by = app } = options;
  const { nonce } = asked;
  return await oidc.authorizationCodeGrant(by.config, back, {
    expectedState: "abc",
    ...(nonce === undefined ? {} : { expectedNonce: nonce }),
  });
}

const subOf = async (asked: Asked, options: Parameters<typeof ask>[1] = {}) =>
  (await tokensOf(asked, options)).claims()?.sub;
const errorOf = (url: URL) => url.searchParams.get("error");
const infoFor = async (scope: string) => {
  const { access_token } = await tokensOf({ scope });
  return Object.keys(await oidc.fetchUserInfo(app.config, access_token, person.userId));
};
const infoBy = async (init: (token: string) => RequestInit) => {
  const { access_token } = await tokensOf({});
  const url = `${parties.server.url}/oidc/v1/userinfo`;
  const response = await fetch(url, init(access_token));
  return ((await response.json()) as { readonly sub?: string }).sub;
};
const passes = async (asked: Asked, options: Parameters<typeof ask>[1] = {}) =>
  expect(await subOf(asked, options)).toBe(person.userId);

const profile = [...["name", "given_name", "family_name", "preferred_username", "updated_at"]];

const basic: { readonly [module: string]: () => Promise<unknown> } = {
  "oidcc-server": () => passes({ nonce: "n" }),
  "oidcc-response-type-missing": async () =>
    expect(errorOf(await ask({ response_type: "" }))).toBe("invalid_request"),
  "oidcc-userinfo-get": async () =>
    expect(await infoBy((token) => ({ headers: { authorization: `Bearer ${token}` } }))).toBe(
      person.userId,
    ),
  "oidcc-userinfo-post-header": async () =>
    expect(
      await infoBy((token) => ({ method: "POST", headers: { authorization: `Bearer ${token}` } })),
    ).toBe(person.userId),
  "oidcc-userinfo-post-body": async () =>
    expect(
      await infoBy((token) => ({
        method: "POST",
        body: new URLSearchParams({ access_token: token }),
      })),
    ).toBe(person.userId),
  "oidcc-ensure-request-without-nonce-succeeds-for-code-flow": () => passes({}),
  "oidcc-scope-profile": async () =>
    expect(await infoFor("openid profile")).toEqual(expect.arrayContaining(["sub", ...profile])),
  "oidcc-scope-email": async () =>
    expect((await infoFor("openid email")).sort()).toEqual(["email", "email_verified", "sub"]),
  "oidcc-scope-address": async () => expect(await infoFor("openid address")).toEqual(["sub"]),
  "oidcc-scope-phone": async () =>
    expect((await infoFor("openid phone")).sort()).toEqual([
      ...["phone_number", "phone_number_verified", "sub"],
    ]),
  "oidcc-scope-all": async () =>
    expect(await infoFor("openid profile email address phone")).toEqual(
      expect.arrayContaining([...profile, "email", "phone_number"]),
    ),
  "oidcc-ensure-other-scope-order-succeeds": () => passes({ scope: "email openid" }),
  "oidcc-display-page": () => passes({ display: "page" }),
  "oidcc-display-popup": () => passes({ display: "popup" }),
  "oidcc-prompt-login": async () => {
    const browser = parties.browser();
    await passes({}, { browser });
    await browser.open((await urlOf({ prompt: "login" })).href);
    expect(browser.page.text).toContain('name="password"');
    await through(browser);
  },
  "oidcc-prompt-none-not-logged-in": async () =>
    expect(errorOf(await ask({ prompt: "none" }))).toBe("login_required"),
  "oidcc-prompt-none-logged-in": async () => {
    const browser = parties.browser();
    await passes({}, { browser });
    await passes({ prompt: "none" }, { browser });
  },
  "oidcc-max-age-1": async () => {
    const browser = parties.browser();
    await passes({}, { browser });
    await browser.open((await urlOf({ max_age: "0" })).href);
    expect(browser.page.text).toContain('name="password"');
    await through(browser);
  },
  "oidcc-max-age-10000": async () => {
    const browser = parties.browser();
    const first = (await tokensOf({ max_age: "10000" }, { browser })).claims();
    const second = (await tokensOf({ max_age: "10000" }, { browser })).claims();
    expect(second?.auth_time).toBe(first?.auth_time);
  },
  "oidcc-ensure-request-with-unknown-parameter-succeeds": () => passes({ extra: "foobar" }),
  "oidcc-id-token-hint": async () => {
    const browser = parties.browser();
    const { id_token } = await tokensOf({}, { browser });
    await passes({ prompt: "none", id_token_hint: String(id_token) }, { browser });
  },
  "oidcc-login-hint": () => passes({ login_hint: person.userName }),
  "oidcc-ui-locales": () => passes({ ui_locales: "se" }),
  "oidcc-claims-locales": () => passes({ claims_locales: "se" }),
  "oidcc-ensure-request-with-acr-values-succeeds": () => passes({ acr_values: "1 2" }),
  "oidcc-codereuse": async () => {
    const back = await ask({});
    const take = () => oidc.authorizationCodeGrant(app.config, back, { expectedState: "abc" });
    await take();
    await expect(take()).rejects.toMatchObject({ error: "invalid_grant" });
  },
  "oidcc-ensure-registered-redirect-uri": async () => {
    const browser = parties.browser();
    await browser.open((await urlOf({ redirect_uri: `${callback}/other` })).href);
    expect(browser.page.status).toBe(400);
  },
  "oidcc-ensure-post-request-succeeds": async () => {
    const { origin, pathname, searchParams } = await urlOf({});
    const sent = { method: "POST", body: searchParams, redirect: "manual" } as const;
    const { status, headers } = await fetch(origin + pathname, sent);
    expect(status).toBe(303);
    const browser = parties.browser();
    await browser.open(new URL(String(headers.get("location")), origin + pathname).href);
    expect((await through(browser)).searchParams.has("code")).toBe(true);
  },
  "oidcc-server-client-secret-post": () => passes({}, { by: posting }),
  "oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported": async () =>
    expect(errorOf(await ask({ request_uri: "https://app.example.com/r" }))).toBe(
      "request_uri_not_supported",
    ),
  "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported": async () =>
    expect(errorOf(await ask({ request: "eyJhbGciOiJub25lIn0.e30." }))).toBe(
      "request_not_supported",
    ),
  "oidcc-claims-essential": async () => {
    const claims = JSON.stringify({ userinfo: { name: { essential: true } } });
    const { access_token } = await tokensOf({ claims });
    const info = await oidc.fetchUserInfo(app.config, access_token, person.userId);
    expect(info.name).toBe("Ada Lovelace");
  },
  "oidcc-refresh-token": async () => {
    const scope = "openid offline_access";
    const { refresh_token } = await tokensOf({ scope, prompt: "consent" });
    const { access_token } = await oidc.refreshTokenGrant(app.config, String(refresh_token));
    const info = await oidc.fetchUserInfo(app.config, access_token, person.userId);
    expect(info.sub).toBe(person.userId);
  },
  "oidcc-ensure-request-with-valid-pkce-succeeds": async () => {
    const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
    const back = await ask({
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
    });
    const checks = { expectedState: "abc", pkceCodeVerifier };
    const tokens = await oidc.authorizationCodeGrant(app.config, back, checks);
    expect(tokens.claims()?.sub).toBe(person.userId);
  },
};

async function urlOf(asked: Asked): Promise<URL> {
  const common = { redirect_uri: callback, scope: "openid", state: "abc" };
  return oidc.buildAuthorizationUrl(app.config, { ...common, ...asked });
}

describe("the profile Basic", () => {
  test.each(Object.entries(basic))("%s", async (_module, run) => void (await run()));
});

test("the profile Form Post: what comes back is a form, which sends itself", async () => {
  const browser = parties.browser();
  await browser.open((await urlOf({ response_mode: "form_post" })).href);
  await through(browser);
  const { text, headers } = browser.page;
  expect(text).toContain(`action="${callback}"`);
  expect(text).toMatch(/name="code" value="[\w-]+"/);
  expect(text).toContain('name="state" value="abc"');
  expect(headers.get("cache-control")).toContain("no-store");
});

test("the profile Config: oidcc-discovery-endpoint-verification", async () => {
  const found = app.config.serverMetadata();
  expect(found.issuer).toBe(parties.server.url);
  for (const url of [found.authorization_endpoint, found.token_endpoint, found.jwks_uri]) {
    expect(url?.startsWith(parties.server.url)).toBe(true);
  }
});

const bye = "https://app.example.com/bye";
const logouts: readonly (readonly [string, (idToken: string) => Asked, string])[] = [
  [
    "oidcc-rp-initiated-logout",
    (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: bye, state: "s" }),
    `${bye}?state=s`,
  ],
  [
    "oidcc-rp-initiated-logout-no-state",
    (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: bye }),
    bye,
  ],
  [
    "oidcc-rp-initiated-logout-no-post-logout-redirect-uri",
    (hint) => ({ id_token_hint: hint, state: "s" }),
    "You are logged out",
  ],
  ["oidcc-rp-initiated-logout-no-params", () => ({}), "You are logged out"],
  ["oidcc-rp-initiated-logout-only-state", () => ({ state: "s" }), "You are logged out"],
  [
    "oidcc-rp-initiated-logout-no-id-token-hint",
    () => ({ post_logout_redirect_uri: bye, state: "s" }),
    "You are logged out",
  ],
  [
    "oidcc-rp-initiated-logout-bad-post-logout-redirect-uri",
    (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: `${bye}/other` }),
    "post_logout_redirect_uri not registered",
  ],
  [
    "oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri",
    (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: `${bye}?x=1` }),
    "post_logout_redirect_uri not registered",
  ],
  [
    "oidcc-rp-initiated-logout-modified-id-token-hint",
    (hint) => ({ id_token_hint: `${hint.slice(0, -8)}AAAAAAAA`, post_logout_redirect_uri: bye }),
    "could not validate id_token_hint",
  ],
  [
    "oidcc-rp-initiated-logout-bad-id-token-hint",
    () => ({ id_token_hint: "bad", post_logout_redirect_uri: bye }),
    "could not decode id_token_hint",
  ],
];

describe("the profile RP-initiated logout", () => {
  test.each(logouts)("%s", async (_module, asked, expected) => {
    const browser = parties.browser();
    const { id_token } = await tokensOf({}, { browser });
    const query = new URLSearchParams(asked(String(id_token)));
    await browser.open(`/oidc/v1/end_session?${query}`);
    const isRefused = browser.page.status >= 400;
    if (!isRefused) await browser.send({});
    const { url, text } = browser.page;
    if (expected.startsWith("https:")) expect(url).toBe(expected);
    else expect(text).toContain(expected);
    const silent = await ask({ prompt: "none" }, { browser });
    expect(errorOf(silent)).toBe(isRefused ? null : "login_required");
  });
});
