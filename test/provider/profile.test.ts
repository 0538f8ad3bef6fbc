import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { sampled, shortened } from "../harness/extent.ts";
import { basicModules } from "./modules.ts";
import type { Profile } from "./profile.ts";
import { callback, type Parties, startParties } from "./relying.ts";

/**
 * The certification plans Basic, Form Post and Config of the OpenID Foundation, module by module,
 * as a relying party sees them. What is optional and not offered passes where it is refused as the
 * standard says.
 */

let parties: Parties;
let people: Omit<Profile, "mode">;

beforeAll(async () => {
  parties = await startParties();
  const by = (method: string) =>
    parties.givenApp({ authMethodType: `OIDC_AUTH_METHOD_TYPE_${method}` });
  const phone = { phone: "+41446681800", isPhoneVerified: true };
  const [app, posting] = [await by("BASIC"), await by("POST")];
  people = { parties, app, posting, person: await parties.givenPerson({ phone }) };
});
afterAll(() => parties.close());

/** The modules of the plan for Basic, in its order; that for Form Post has the same. */
const plan = [
  "oidcc-server",
  "oidcc-response-type-missing",
  "oidcc-idtoken-signature",
  "oidcc-idtoken-unsigned",
  "oidcc-userinfo-get",
  "oidcc-userinfo-post-header",
  "oidcc-userinfo-post-body",
  "oidcc-ensure-request-without-nonce-succeeds-for-code-flow",
  "oidcc-scope-profile",
  "oidcc-scope-email",
  "oidcc-scope-address",
  "oidcc-scope-phone",
  "oidcc-scope-all",
  "oidcc-alternate-happy-flow",
  "oidcc-display-page",
  "oidcc-display-popup",
  "oidcc-prompt-login",
  "oidcc-prompt-none-not-logged-in",
  "oidcc-prompt-none-logged-in",
  "oidcc-max-age-1",
  "oidcc-max-age-10000",
  "oidcc-ensure-request-with-unknown-parameter-succeeds",
  "oidcc-id-token-hint",
  "oidcc-login-hint",
  "oidcc-ui-locales",
  "oidcc-claims-locales",
  "oidcc-ensure-request-with-acr-values-succeeds",
  "oidcc-codereuse",
  "oidcc-codereuse-30seconds",
  "oidcc-ensure-registered-redirect-uri",
  "oidcc-ensure-post-request-succeeds",
  "oidcc-server-client-secret-post",
  "oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported",
  "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported",
  "oidcc-claims-essential",
  "oidcc-ensure-request-object-with-redirect-uri",
  "oidcc-refresh-token",
  "oidcc-ensure-request-with-valid-pkce-succeeds",
];

const plans = [
  ["Basic", "query"],
  ["Form Post Basic", "form_post"],
] as const;

describe.each(shortened(plans))("the plan %s", (_plan, mode) => {
  test("has the modules that are tried here", () => {
    expect(Object.keys(basicModules({ ...people, mode })).sort()).toEqual([...plan].sort());
  });

  test.each(sampled(plan))("%s", async (module) => {
    await basicModules({ ...people, mode })[module]?.();
  });
});

test("what comes back as a form is kept by nobody", async () => {
  const { app, person } = people;
  const asked = { scope: "openid", state: "abc", response_mode: "form_post" };
  const browser = parties.browser();
  const url = oidc.buildAuthorizationUrl(app.config, { redirect_uri: callback, ...asked });
  await browser.open(url.href);
  const { userName, password } = person;
  const { text, headers } = await browser.send({ userName, password });
  expect(text).toContain(`action="${callback}"`);
  expect(headers.get("cache-control")).toContain("no-store");
});

describe("the plan Config", () => {
  test("oidcc-discovery-endpoint-verification", async () => {
    const { url } = parties.server;
    const response = await fetch(`${url}/.well-known/openid-configuration`);
    expect([response.status, response.headers.get("content-type")]).toEqual([
      ...[200, expect.stringMatching(/^application\/json/)],
    ]);
    const found = (await response.json()) as { readonly [name: string]: unknown };
    expect(found).toMatchObject({
      issuer: url,
      response_types_supported: expect.arrayContaining(["code", "id_token", "id_token token"]),
      subject_types_supported: expect.arrayContaining(["public"]),
      id_token_signing_alg_values_supported: expect.arrayContaining(["RS256"]),
      scopes_supported: expect.arrayContaining(["openid"]),
      claims_supported: expect.arrayContaining(["sub"]),
      code_challenge_methods_supported: ["S256"],
      grant_types_supported: expect.arrayContaining(["authorization_code"]),
    });
    // Over TLS they would be https: that is for the address of the service to say.
    const endpoints = Object.entries(found).filter(([name]) => /_endpoint$|^jwks_uri$/.test(name));
    expect(endpoints.length).toBeGreaterThan(5);
    for (const [name, at] of endpoints) {
      expect([name, String(at).startsWith(`${url}/`)]).toEqual([name, true]);
    }
    const { keys } = (await (await fetch(String(found.jwks_uri))).json()) as {
      readonly keys: readonly { readonly [name: string]: string }[];
    };
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) {
      expect(Object.keys(key).filter((name) => /^(?:d|p|q|dp|dq|qi|k|oth)$/.test(name))).toEqual(
        [],
      );
      expect(key).toMatchObject({ use: "sig", kid: expect.any(String), kty: expect.any(String) });
    }
  });
});
