import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { v7 } from "uuid";
import { basic, post } from "./asking.ts";
import { formOf } from "./browser.ts";
import { type App, begin, callback, type Parties, startParties } from "./relying.ts";

let parties: Parties;
let app: App;

const byHeader = { authMethodType: "OIDC_AUTH_METHOD_TYPE_BASIC" };
const byBody = { authMethodType: "OIDC_AUTH_METHOD_TYPE_POST" };
const implicit = {
  responseTypes: ["OIDC_RESPONSE_TYPE_ID_TOKEN"],
  grantTypes: ["OIDC_GRANT_TYPE_IMPLICIT"],
};

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp(byHeader);
});
afterAll(() => parties.close());

async function givenMachine(): Promise<{ readonly clientId: string; readonly secret: string }> {
  const path = "/management/v1/users/machine";
  const name = v7();
  const { userId } = await parties.call("POST", path, { userName: name, name });
  const made = await parties.call("PUT", `/management/v1/users/${userId}/secret`, {});
  return { clientId: String(made.clientId), secret: String(made.clientSecret) };
}

describe("RFC 6749: what a client may not ask for is unauthorized_client", () => {
  const refused = (what: string) => ({
    error: "unauthorized_client",
    error_description: `requested ${what} is not allowed for this client`,
  });

  test("at the token endpoint: a grant that it was not created with", async () => {
    const onlyImplicit = await parties.givenApp({ ...byHeader, ...implicit });
    const noRefresh = await parties.givenApp({
      ...{ ...byHeader, grantTypes: ["OIDC_GRANT_TYPE_AUTHORIZATION_CODE"] },
    });
    const machine = await givenMachine();
    for (const [{ clientId, secret }, fields] of [
      [secretOf(app), { grant_type: "client_credentials" }],
      [secretOf(noRefresh), { grant_type: "refresh_token", refresh_token: "x" }],
      [secretOf(onlyImplicit), { grant_type: "authorization_code", code: "x", redirect_uri: "x" }],
      [machine, { grant_type: "authorization_code", code: "x", redirect_uri: "x" }],
      [machine, { grant_type: "refresh_token", refresh_token: "x" }],
    ] as const) {
      const told = await post(parties, "/oauth/v2/token", fields, basic(clientId, secret));
      expect(told).toEqual({ status: 400, body: refused("grant type") });
    }
  });

  test.each([
    ["by a query", {}, "code", implicit],
    ["by a fragment", { nonce: "n" }, "id_token", {}],
    ["by a form", { nonce: "n", response_mode: "form_post" }, "code id_token", {}],
  ])("at authorize, told %s", async (_how, asked, response_type, given) => {
    const by = await parties.givenApp({ ...byHeader, ...given });
    const begun = await begin(by, { ...asked, response_type });
    const answer = await fetch(begun.url, { redirect: "manual" });
    const to = answer.headers.get("location");
    const told =
      to === null
        ? formOf({ text: await answer.text() }).fields
        : Object.fromEntries(new URLSearchParams(to.slice(callback.length + 1)));
    const { state } = begun;
    expect(told).toEqual({ ...refused("response_type"), state, iss: parties.server.url });
  });

  test("what nobody may ask for is not offered, as before", async () => {
    const told = await post(
      ...([parties, "/oauth/v2/token", { grant_type: "password" }] as const),
      basic(app.clientId, app.clientSecret),
    );
    expect(told.body.error).toBe("unsupported_grant_type");
    const { url } = await begin(app, { response_type: "token" });
    const { headers } = await fetch(url, { redirect: "manual" });
    expect(headers.get("location")).toContain("error=unsupported_response_type");
  });
});

function secretOf({ clientId, clientSecret }: App) {
  return { clientId, secret: clientSecret };
}

const endpoints = ["/oauth/v2/token", "/oauth/v2/introspect", "/oauth/v2/revoke"] as const;

describe("a secret is taken in the header or in the body, by each endpoint alike", () => {
  const fields = { token: "x", grant_type: "refresh_token", refresh_token: "x" };
  /** What an endpoint tells who has proved itself, about a token that is none. */
  const known = {
    "/oauth/v2/token": "invalid_grant",
    "/oauth/v2/introspect": undefined,
    "/oauth/v2/revoke": undefined,
  } as const;

  test.each([
    ["BASIC", byHeader],
    ["POST", byBody],
  ])("of an application with %s, and never in both", async (_method, given) => {
    const { clientId: client_id, clientSecret: client_secret } = await parties.givenApp(given);
    const header = basic(client_id, client_secret);
    for (const path of endpoints) {
      const ask = async (more: object, headers = {}) =>
        await post(parties, path, { ...fields, ...more }, headers);
      const error = known[path];
      const status = error === undefined ? 200 : 400;
      for (const told of [
        await ask({}, header),
        await ask({ client_id }, header),
        await ask({ client_id, client_secret }),
      ]) {
        expect([path, told.status, told.body.error]).toEqual([path, status, error]);
      }
      for (const told of [
        await ask({ client_id, client_secret }, header),
        await ask({ client_secret: "wrong" }, header),
        await ask({ client_id: "another" }, header),
      ]) {
        expect([path, told.status, told.body.error]).toEqual([path, 400, "invalid_request"]);
      }
      for (const told of [
        await ask({}, basic(client_id, "wrong")),
        await ask({ client_id, client_secret: "wrong" }),
      ]) {
        expect([path, told.status, told.body.error]).toEqual([path, 401, "invalid_client"]);
      }
    }
  });

  test("openid-client asks introspection for an API by what it does by itself", async () => {
    const path = `/management/v1/projects/${parties.server.project}/apps/api`;
    const made = await parties.call("POST", path, {
      ...{ name: v7(), authMethodType: "API_AUTH_METHOD_TYPE_BASIC" },
    });
    const [id, secret] = [String(made.clientId), String(made.clientSecret)];
    const config = await oidc.discovery(new URL(parties.server.url), id, secret, undefined, {
      execute: [oidc.allowInsecureRequests],
    });
    expect(await oidc.tokenIntrospection(config, "x")).toEqual({ active: false });
  });

  test.each([
    ["PRIVATE_KEY_JWT", "its auth method is PRIVATE_KEY_JWT"],
    ["NONE", "its auth method is NONE"],
  ])("but of none with %s", async (method, problem) => {
    const { clientId } = await parties.givenApp({
      authMethodType: `OIDC_AUTH_METHOD_TYPE_${method}`,
    });
    for (const path of endpoints) {
      for (const told of [
        await post(parties, path, fields, basic(clientId, "x")),
        await post(parties, path, { ...fields, client_id: clientId, client_secret: "x" }),
      ]) {
        expect([path, told.status, told.body.error]).toEqual([path, 401, "invalid_client"]);
      }
    }
    expect(parties.server.logged().join("\n")).toContain(problem);
  });
});
