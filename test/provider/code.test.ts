import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { few } from "../harness/in-full.ts";
import { basic, post } from "./asking.ts";
import { type App, begin, callback, logIn, type Parties, startParties } from "./relying.ts";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp({ authMethodType: "OIDC_AUTH_METHOD_TYPE_BASIC" });
});
afterAll(() => parties.close());

describe("a code is of one application, one address and one verifier:", () => {
  /** Logs in, and shows the code as somebody else does. */
  async function show(asked: object, change: object, by = app) {
    const person = await parties.givenPerson();
    const browser = parties.browser();
    const url = new URL((await begin(app, { code_challenge: "", ...asked })).url);
    for (const [name, value] of [...url.searchParams]) {
      if (value === "") url.searchParams.delete(name);
    }
    await browser.open(url.href);
    const back = await browser.send({ userName: person.userName, password: person.password });
    const code = String(new URL(back.url).searchParams.get("code"));
    const fields = { grant_type: "authorization_code", code, redirect_uri: callback, ...change };
    const headers = basic(by.clientId, by.clientSecret);
    return (await post(parties, "/oauth/v2/token", fields, headers)).body.error;
  }
  const verifier = oidc.randomPKCECodeVerifier();
  const bare = { code_challenge: "", code_challenge_method: "" };
  const bound = async () => ({ code_challenge: await oidc.calculatePKCECodeChallenge(verifier) });

  test.each([
    ["all as it was asked for", bound, { code_verifier: verifier }, undefined],
    ["without PKCE, which it need not use", async () => bare, {}, undefined],
    ["no verifier", bound, {}, "invalid_grant"],
    ["another verifier", bound, { code_verifier: "x".repeat(43) }, "invalid_grant"],
    ["a verifier nobody announced", async () => bare, { code_verifier: verifier }, "invalid_grant"],
    ["another address", bound, { code_verifier: verifier, redirect_uri: `${callback}2` }, "both"],
    ["no address", bound, { code_verifier: verifier, redirect_uri: "" }, "both"],
  ] as const)("%s", async (_what, asked, change, expected) => {
    const told = await show(await asked(), change);
    if (expected === "both") expect(told).toMatch(/^invalid_(?:grant|request)$/);
    else expect(told).toBe(expected);
  });

  test("another application", async () => {
    const other = await parties.givenApp({ authMethodType: "OIDC_AUTH_METHOD_TYPE_BASIC" });
    expect(await show(bare, {}, other)).toBe("invalid_grant");
  });
});

describe("CVE-2026-56668, CVE-2026-79652: what is not offered gives nothing to anybody:", () => {
  const token = async (fields: { readonly [name: string]: string }, by = app) => {
    const headers = basic(by.clientId, by.clientSecret);
    return (await post(parties, "/oauth/v2/token", fields, headers)).body;
  };

  few(2).each([
    "urn:ietf:params:oauth:grant-type:token-exchange",
    "urn:openid:params:grant-type:ciba",
    "password",
  ])("the grant %s", async (grant_type) => {
    const told = await token({ grant_type, subject_token: "x", assertion: "x", username: "x" });
    expect(told.error).toBe("unsupported_grant_type");
  });

  test("tokens of an application for itself", async () => {
    expect(await token({ grant_type: "client_credentials" })).toMatchObject({
      error: "unauthorized_client",
      error_description: "requested grant type is not allowed for this client",
    });
  });

  test("GHSA-p2fr-6hmx-4528: more scopes, or another audience, than was asked for", async () => {
    const given = { accessTokenType: "OIDC_TOKEN_TYPE_JWT" };
    const audience = "https://api.example.com";
    const by = await parties.givenApp({
      ...given,
      authMethodType: "OIDC_AUTH_METHOD_TYPE_BASIC",
    });
    const person = await parties.givenPerson();
    const asked = { scope: "openid offline_access", resource: audience };
    const tokens = await logIn(parties.browser(), by, person, asked);
    const claims = (jwt: unknown) =>
      JSON.parse(Buffer.from(String(jwt).split(".")[1] ?? "", "base64url").toString());
    const mine = [by.clientId, parties.server.project];
    expect(claims(tokens.access_token)).toMatchObject({ aud: mine, scope: asked.scope });
    const refresh_token = String(tokens.refresh_token);
    const more = { grant_type: "refresh_token", refresh_token };
    expect(await token({ ...more, scope: "openid email" }, by)).toMatchObject({
      error: "invalid_scope",
    });
    const refreshed = await token({ ...more, resource: audience }, by);
    expect(claims(refreshed.access_token)).toMatchObject({ aud: mine, scope: asked.scope });
  });
});
