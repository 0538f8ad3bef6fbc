import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { logIn, type Parties, startParties } from "./relying.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const ask = async (init: RequestInit, query = "") => {
  const response = await fetch(`${parties.server.url}/oidc/v1/userinfo${query}`, init);
  const body = (await response.json()) as { readonly [name: string]: unknown };
  return { status: response.status, body, header: response.headers };
};
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

async function given(made: object = {}, parameters: { readonly [name: string]: string } = {}) {
  const [app, person] = [await parties.givenApp(made), await parties.givenPerson()];
  const { access_token: token } = await logIn(parties.browser(), app, person, parameters);
  return { app, person, token };
}

/** A machine with a secret, and a token that it got for itself. */
async function givenMachine(parameters: object = {}) {
  const { userId } = await parties.call("POST", "/management/v1/users/machine", {
    ...{ userName: randomUUID(), name: "Robot" },
  });
  const secret = await parties.call("PUT", `/management/v1/users/${String(userId)}/secret`, {});
  const response = await fetch(`${parties.server.url}/oauth/v2/token`, {
    method: "POST",
    headers: {
      authorization: `Basic ${btoa(`${String(secret.clientId)}:${String(secret.clientSecret)}`)}`,
    },
    body: new URLSearchParams({ grant_type: "client_credentials", ...parameters }),
  });
  const body = (await response.json()) as { readonly access_token: string };
  return { userId: String(userId), token: body.access_token };
}

const jwt = { accessTokenType: "OIDC_TOKEN_TYPE_JWT" };

describe.each([
  ["opaque", {}],
  ["JWT", jwt],
])("an access token that is %s", (_kind, made) => {
  test("says of its person what its scopes and the claims asked for stand for", async () => {
    const claims = JSON.stringify({ userinfo: { given_name: null, phone_number: null } });
    const { person, token } = await given(made, { scope: "openid email", claims });
    const expected = {
      ...{ sub: person.userId, email: person.email, email_verified: true, given_name: "Ada" },
    };
    for (const init of [
      bearer(token),
      { ...bearer(token), method: "POST" },
      { method: "POST", body: new URLSearchParams({ access_token: token }) },
    ]) {
      const { status, body, header } = await ask(init);
      expect([status, body]).toEqual([200, expected]);
      expect(header.get("cache-control")).toBe("no-store");
    }
  });

  test("says nothing any more once its person or its application is out of use", async () => {
    for (const end of ["user", "app"]) {
      const { app, person, token } = await given(made);
      expect((await ask(bearer(token))).status).toBe(200);
      const path =
        end === "user"
          ? `/management/v1/users/${person.userId}`
          : `/management/v1/projects/${parties.server.project}/apps/${app.appId}`;
      await parties.call("POST", `${path}/_deactivate`, {});
      expect([end, (await ask(bearer(token))).status]).toEqual([end, 401]);
    }
  });
});

test("what shows no token, or not in one way, is told how (RFC 6750, 3)", async () => {
  const { token } = await given();
  const { token: ofMachine } = await givenMachine();
  const { url } = parties.server;
  const none = await ask({});
  expect([none.status, none.header.get("www-authenticate")]).toEqual([
    401,
    `Bearer realm="${url}"`,
  ]);
  const form = (fields: { readonly [name: string]: string }) => ({
    ...{ method: "POST", body: new URLSearchParams(fields) },
  });
  for (const [init, query, status, error] of [
    [bearer("none"), "", 401, "invalid_token"],
    [bearer(`${token}x`), "", 401, "invalid_token"],
    [bearer(token.slice(0, -1)), "", 401, "invalid_token"],
    [bearer("a.b.c"), "", 401, "invalid_token"],
    [bearer(ofMachine), "", 403, "insufficient_scope"],
    [{ ...form({ access_token: token }), ...bearer(token) }, "", 400, "invalid_request"],
    [{}, `?access_token=${token}`, 400, "invalid_request"],
    [bearer(token), `?access_token=${token}`, 400, "invalid_request"],
    [{ headers: { authorization: `Basic ${token}` } }, "", 400, "invalid_request"],
    [{ headers: { authorization: `Bearer ${token} x` } }, "", 400, "invalid_request"],
    [{ headers: { authorization: "Bearer" } }, "", 400, "invalid_request"],
  ] as const) {
    const { status: told, body, header } = await ask(init, query);
    expect([told, body.error]).toEqual([status, error]);
    expect(header.get("www-authenticate")).toContain(`Bearer realm="${url}", error="${error}"`);
  }
});

test("a refresh token and a code say nothing of anybody", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const scope = "openid offline_access";
  const { refresh_token } = await logIn(parties.browser(), app, person, { scope });
  expect((await ask(bearer(String(refresh_token)))).status).toBe(401);
});

test("a token that is not for openid is told which scope it lacks", async () => {
  const { header } = await ask(bearer((await givenMachine()).token));
  expect(header.get("www-authenticate")).toContain('scope="openid"');
});

test("a token in the header needs no form, and any other does", async () => {
  const { token } = await given();
  for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x"]) {
    const headers = { "content-type": type, ...bearer(token).headers };
    for (const init of [
      { headers },
      { headers, method: "POST" },
      { headers, method: "POST", body: "{}" },
    ]) {
      expect([type, init, (await ask(init)).status]).toEqual([type, init, 200]);
    }
    const sent = { method: "POST", body: JSON.stringify({ access_token: token }) };
    const { status, body } = await ask({ ...sent, headers: { "content-type": type } });
    expect([type, status, body.error]).toEqual([type, 400, "invalid_request"]);
  }
});
