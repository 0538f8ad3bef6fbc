import { createPrivateKey, type webcrypto } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import {
  OIDCAuthMethodType,
  OIDCGrantType,
  OIDCResponseType,
} from "../../gen/iam/app/v1/app_pb.js";
import type { GivenOIDC } from "../cases/apps.ts";
import { complianceRows } from "../cases/compliances.ts";
import { sampled } from "../harness/extent.ts";
import {
  type App,
  begin,
  fetchTokens,
  type Parties,
  type Person,
  startParties,
} from "./relying.ts";

// What is reported when an application is created keeps nobody out; what does is in docs/login.md.

let parties: Parties;
let person: Person;

beforeAll(async () => {
  parties = await startParties();
  person = await parties.givenPerson();
});
afterAll(() => parties.close());

const { OIDC_GRANT_TYPE_AUTHORIZATION_CODE: code, OIDC_GRANT_TYPE_DEVICE_CODE: device } =
  OIDCGrantType;
const { OIDC_RESPONSE_TYPE_CODE: forCode } = OIDCResponseType;
const { OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT: byKey } = OIDCAuthMethodType;

type Settings = GivenOIDC & { readonly redirectUris?: readonly string[] };

/** The response types of OAuth of an application, as far as one after the other shows them. */
function responseTypesOf({ responseTypes = [], grantTypes = [] }: GivenOIDC): readonly string[] {
  const types = responseTypes.length === 0 ? [forCode] : responseTypes;
  return types
    .map((type) => (type === forCode ? "code" : "id_token"))
    .filter((type) => {
      return type !== "code" || grantTypes.length === 0 || grantTypes.includes(code);
    });
}

/** Gives an application a key, and has it prove itself by that. */
async function withKey(app: App): Promise<App> {
  const { server, call } = parties;
  const path = `/management/v1/projects/${server.project}/apps/${app.appId}/keys`;
  const { keyDetails } = await call("POST", path, { type: "KEY_TYPE_JSON" });
  const { key, keyId } = JSON.parse(Buffer.from(String(keyDetails), "base64").toString());
  const privateKey: webcrypto.CryptoKey = await crypto.subtle.importKey(
    "pkcs8",
    createPrivateKey(key).export({ type: "pkcs8", format: "der" }),
    { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const proof = oidc.PrivateKeyJwt({ key: privateKey, kid: keyId });
  const config = await oidc.discovery(new URL(server.url), app.clientId, undefined, proof, {
    execute: [oidc.allowInsecureRequests],
  });
  return { ...app, config };
}

/** The request for a login, as an application of the type makes it. */
async function beginFor(app: App, uri: string, type: string) {
  const begun = await begin(app, { redirect_uri: uri, response_type: type });
  if (type === "code") return begun;
  for (const name of ["code_challenge", "code_challenge_method"]) {
    begun.url.searchParams.delete(name);
  }
  return begun;
}

describe.each([
  [false, complianceRows],
  [true, sampled(complianceRows)],
])("with devMode %s", (devMode, rows) => {
  test.each(rows)("%s", async (_what, given: Settings) => {
    const settings = { authMethodType: 0, responseTypes: [], grantTypes: [], redirectUris: [] };
    const made = await parties.givenApp({ ...settings, ...given, devMode });
    const { redirectUris = [] } = given;
    const types = responseTypesOf(given);
    if (redirectUris.length === 0) {
      const { url } = await begin(made, { redirect_uri: "https://app.example.com/callback" });
      const page = await parties.browser().open(url.href);
      // A device is known, and asks elsewhere.
      const error = given.grantTypes?.includes(device) ? "invalid_redirect_uri" : "invalid_client";
      expect([page.status, page.text]).toEqual([400, expect.stringContaining(error)]);
      return;
    }
    const app = given.authMethodType === byKey ? await withKey(made) : made;
    expect(types.length).toBeGreaterThan(0);
    for (const uri of redirectUris) {
      for (const type of types) {
        const begun = await beginFor(app, uri, type);
        const browser = parties.browser();
        await browser.open(begun.url.href);
        const { userName, password } = person;
        const back = await browser.send({ userName, password });
        expect(back.url.startsWith(uri)).toBe(true);
        if (type === "code") {
          const tokens = await fetchTokens(app, begun, back.url);
          expect(tokens.claims()?.sub).toBe(person.userId);
        } else {
          const { hash } = new URL(back.url);
          const idToken = new URLSearchParams(hash.slice(1)).get("id_token") ?? "";
          const claims = JSON.parse(
            Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString(),
          );
          expect(claims).toMatchObject({ sub: person.userId, nonce: begun.nonce });
        }
      }
    }
  });
});

describe("who cannot log anybody in says why:", () => {
  test("an application by key without a key", async () => {
    const app = await parties.givenApp({ authMethodType: byKey });
    const { text } = await parties.browser().open((await begin(app)).url.href);
    expect(text).toContain("invalid_client");
  });

  test.each(["BASIC", "POST"])("one by %s without a secret, until it gets one", async (method) => {
    const app = await parties.givenApp();
    const path = `/management/v1/projects/${parties.server.project}/apps/${app.appId}/oidc_config`;
    const [byNone, bySecret] = ["NONE", method].map((name) => ({
      redirectUris: ["https://app.example.com/callback"],
      authMethodType: `OIDC_AUTH_METHOD_TYPE_${name}`,
    }));
    for (const settings of [[bySecret], [byNone, bySecret]]) {
      for (const one of settings) await parties.call("PUT", path, one);
      const page = await parties.browser().open((await begin(app)).url.href);
      expect([page.status, page.text]).toEqual([400, expect.stringContaining("invalid_client<")]);
      await expect(oidc.refreshTokenGrant(app.config, "any")).rejects.toMatchObject({
        ...{ status: 401, error: "invalid_client" },
      });
      await parties.call("POST", `${path}/_generate_client_secret`, {});
      const { text } = await parties.browser().open((await begin(app)).url.href);
      expect(text).toContain("Log in");
    }
  });

  test("one for devices alone, where a browser asks", async () => {
    const app = await parties.givenApp({ grantTypes: [device] });
    const { url, text } = await parties.browser().open((await begin(app)).url.href);
    expect(url + text).toMatch(/error=unauthorized_client.*response_type\+is\+not\+allowed/);
  });
});
