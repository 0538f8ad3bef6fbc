import { setTimeout as pause } from "node:timers/promises";
import { expect } from "@jest/globals";
import * as oidc from "openid-client";
import type { Browser } from "./browser.ts";
import { type Asked, type Asking, createAsking, isSigned, type Profile } from "./profile.ts";
import { callback } from "./relying.ts";

const profile = ["name", "given_name", "family_name", "preferred_username", "updated_at"];

/** Modules about who is logged in for how long. */
function sessionModules({ parties, person, app }: Profile, asking: Asking) {
  const { urlOf, through, ask, tokensOf } = asking;
  const claimsOf = async (asked: Asked, browser: Browser) =>
    (await tokensOf(asked, { browser })).claims();
  const loginAgain = async (asked: Asked, browser: Browser) => {
    await browser.open(urlOf(asked).href);
    expect(browser.page.text).toContain('name="password"');
    const back = await through(browser);
    const checks = { expectedState: "abc" };
    return (await oidc.authorizationCodeGrant(app.config, back.response(), checks)).claims();
  };
  return {
    "oidcc-prompt-login": async () => {
      const browser = parties.browser();
      await tokensOf({}, { browser });
      expect((await loginAgain({ prompt: "login" }, browser))?.sub).toBe(person.userId);
    },
    "oidcc-prompt-none-not-logged-in": async () =>
      expect((await ask({ prompt: "none" })).told.get("error")).toBe("login_required"),
    "oidcc-prompt-none-logged-in": async () => {
      const browser = parties.browser();
      const first = await claimsOf({}, browser);
      const second = await claimsOf({ prompt: "none" }, browser);
      expect([second?.sub, second?.auth_time]).toEqual([first?.sub, first?.auth_time]);
    },
    "oidcc-max-age-1": async () => {
      const browser = parties.browser();
      const first = await claimsOf({ max_age: "10000" }, browser);
      await pause(2_100);
      const second = await loginAgain({ max_age: "1" }, browser);
      expect(second?.auth_time).toBeGreaterThan(Number(first?.auth_time));
    },
    "oidcc-max-age-10000": async () => {
      const browser = parties.browser();
      const first = await claimsOf({ max_age: "10000" }, browser);
      const second = await claimsOf({ max_age: "10000" }, browser);
      expect(second?.auth_time).toBe(Number(first?.auth_time));
    },
    "oidcc-id-token-hint": async () => {
      const browser = parties.browser();
      const { id_token } = await tokensOf({}, { browser });
      const hint = { prompt: "none", id_token_hint: String(id_token) };
      expect((await claimsOf(hint, browser))?.sub).toBe(person.userId);
    },
  };
}

/** Modules about what userinfo tells. */
function userinfoModules({ parties, app, person }: Profile, { tokensOf }: Asking) {
  const infoFor = async (asked: Asked) => {
    const { access_token } = await tokensOf(asked);
    return await oidc.fetchUserInfo(app.config, access_token, person.userId);
  };
  const namesFor = async (scope: string) => Object.keys(await infoFor({ scope })).sort();
  const toldBy = async (init: (token: string) => RequestInit) => {
    const { access_token } = await tokensOf({});
    const url = `${parties.server.url}/oidc/v1/userinfo`;
    const told = (await (await fetch(url, init(access_token))).json()) as { readonly sub: string };
    expect(told.sub).toBe(person.userId);
  };
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  return {
    "oidcc-userinfo-get": () => toldBy(bearer),
    "oidcc-userinfo-post-header": () => toldBy((token) => ({ method: "POST", ...bearer(token) })),
    "oidcc-userinfo-post-body": () =>
      toldBy((token) => ({ method: "POST", body: new URLSearchParams({ access_token: token }) })),
    "oidcc-scope-profile": async () =>
      expect(await namesFor("openid profile")).toEqual(expect.arrayContaining(["sub", ...profile])),
    "oidcc-scope-email": async () =>
      expect(await namesFor("openid email")).toEqual(["email", "email_verified", "sub"]),
    // No address is kept, and scopes_supported says so.
    "oidcc-scope-address": async () => {
      expect(app.config.serverMetadata().scopes_supported).not.toContain("address");
      expect(await namesFor("openid address")).toEqual(["sub"]);
    },
    "oidcc-scope-phone": async () =>
      expect(await namesFor("openid phone")).toEqual([
        ...["phone_number", "phone_number_verified", "sub"],
      ]),
    "oidcc-scope-all": async () =>
      expect(await namesFor("openid profile email address phone")).toEqual(
        expect.arrayContaining([...profile, "email", "phone_number"]),
      ),
    "oidcc-claims-essential": async () => {
      const claims = JSON.stringify({ userinfo: { name: { essential: true } } });
      expect((await infoFor({ claims })).name).toBe("Ada Lovelace");
    },
  };
}

/** Modules about codes, and about what proves who shows them. */
function codeModules({ parties, app, posting, person }: Profile, asking: Asking) {
  const { ask, tokensOf } = asking;
  const checks = { expectedState: "abc" };
  const reuse = async (waitMs: number) => {
    const back = await ask({});
    const take = () => oidc.authorizationCodeGrant(app.config, back.response(), checks);
    const { access_token } = await take();
    parties.clock.nowMs += waitMs;
    await expect(take()).rejects.toMatchObject({ error: "invalid_grant" });
    const info = oidc.fetchUserInfo(app.config, access_token, person.userId);
    await expect(info).rejects.toMatchObject({ status: 401 });
  };
  return {
    "oidcc-codereuse": () => reuse(0),
    "oidcc-codereuse-30seconds": () => reuse(30_000),
    "oidcc-server-client-secret-post": async () =>
      expect((await tokensOf({}, { by: posting })).claims()?.sub).toBe(person.userId),
    "oidcc-refresh-token": async () => {
      const asked = { scope: "openid offline_access", prompt: "consent" };
      const { refresh_token } = await tokensOf(asked);
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
      const proved = { ...checks, pkceCodeVerifier };
      const tokens = await oidc.authorizationCodeGrant(app.config, back.response(), proved);
      expect(tokens.claims()?.sub).toBe(person.userId);
    },
  };
}

/** Modules about what is asked for, and what of it is refused. */
function requestModules({ parties, app, person }: Profile, asking: Asking) {
  const { urlOf, through, ask, tokensOf } = asking;
  const passes = async (asked: Asked) =>
    expect((await tokensOf(asked)).claims()?.sub).toBe(person.userId);
  const fails = async (asked: Asked, error: string) =>
    expect((await ask(asked)).told.get("error")).toBe(error);
  const opened = async (url: URL) => {
    const browser = parties.browser();
    await browser.open(url.href);
    return { browser, back: await through(browser) };
  };
  const unsigned = "eyJhbGciOiJub25lIn0.e30.";
  return {
    "oidcc-server": () => passes({ nonce: "n" }),
    "oidcc-response-type-missing": () => fails({ response_type: "" }, "invalid_request"),
    "oidcc-ensure-request-without-nonce-succeeds-for-code-flow": () => passes({}),
    "oidcc-alternate-happy-flow": async () => {
      const url = urlOf({ scope: "email openid" });
      const turned = new URLSearchParams([...url.searchParams].reverse());
      url.search = String(turned);
      expect((await opened(url)).back.told.has("code")).toBe(true);
    },
    "oidcc-display-page": () => passes({ display: "page" }),
    "oidcc-display-popup": () => passes({ display: "popup" }),
    "oidcc-ensure-request-with-unknown-parameter-succeeds": () => passes({ extra: "foobar" }),
    "oidcc-login-hint": () => passes({ login_hint: person.userName }),
    "oidcc-ui-locales": async () => {
      await passes({ ui_locales: "se" });
      const browser = parties.browser();
      await browser.open(urlOf({ ui_locales: "se fr-CA" }).href);
      expect(browser.page.text).toContain('<html lang="fr" dir="ltr">');
      expect((await through(browser)).told.has("code")).toBe(true);
    },
    "oidcc-claims-locales": () => passes({ claims_locales: "se" }),
    "oidcc-ensure-request-with-acr-values-succeeds": () => passes({ acr_values: "1 2" }),
    "oidcc-ensure-registered-redirect-uri": async () => {
      const { browser } = await opened(urlOf({ redirect_uri: `${callback}/other` }));
      expect(browser.page.status).toBe(400);
    },
    "oidcc-ensure-post-request-succeeds": async () => {
      const { origin, pathname, searchParams } = urlOf({});
      const sent = { method: "POST", body: searchParams, redirect: "manual" } as const;
      const { status, headers } = await fetch(origin + pathname, sent);
      expect(status).toBe(303);
      const there = new URL(String(headers.get("location")), origin + pathname);
      expect((await opened(there)).back.told.has("code")).toBe(true);
    },
    // Of the clients that register themselves, of which there are none here.
    "oidcc-idtoken-signature": async () => {
      const { id_token } = await tokensOf({});
      expect(await isSigned(parties, String(id_token))).toBe(true);
    },
    "oidcc-idtoken-unsigned": async () => {
      const found = app.config.serverMetadata();
      expect(found.registration_endpoint).toBeUndefined();
      expect(found.id_token_signing_alg_values_supported).not.toContain("none");
    },
    // Request objects are not offered: each is rejected as the standard says.
    "oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported": () =>
      fails({ request_uri: "https://app.example.com/r" }, "request_uri_not_supported"),
    "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported": () =>
      fails({ request: unsigned }, "request_not_supported"),
    "oidcc-ensure-request-object-with-redirect-uri": async () => {
      const url = urlOf({ request: unsigned, redirect_uri: `${callback}/other` });
      expect((await opened(url)).browser.page.status).toBe(400);
    },
  };
}

/**
 * The modules of the plan for Basic, which is that for Form Post as well, by their names. What does
 * not apply is shown to be so.
 */
export function basicModules(of: Profile): { readonly [module: string]: () => Promise<unknown> } {
  const asking = createAsking(of);
  return {
    ...requestModules(of, asking),
    ...userinfoModules(of, asking),
    ...sessionModules(of, asking),
    ...codeModules(of, asking),
  };
}
