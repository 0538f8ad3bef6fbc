import { createHash, createPrivateKey, createPublicKey, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { looksLikeJws, signJws } from "../../src/provider/token/jws.ts";
import { describeFew, inFull } from "../harness/in-full.ts";
import { type App, callback, logIn, type Parties, type Person, startParties } from "./relying.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const offline = { scope: "openid email offline_access" };
const jwt = { accessTokenType: "OIDC_TOKEN_TYPE_JWT" };

/** An API application that proves itself by its secret. */
async function givenApi(project = parties.server.project) {
  const path = `/management/v1/projects/${project}/apps/api`;
  const made = await parties.call("POST", path, {
    ...{ name: randomUUID(), authMethodType: "API_AUTH_METHOD_TYPE_BASIC" },
  });
  const pair = `${String(made.clientId)}:${String(made.clientSecret)}`;
  return { ...made, authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

async function ask(token: string, headers: { readonly [name: string]: string }, more = {}) {
  const body = new URLSearchParams({ token, ...more });
  const url = `${parties.server.url}/oauth/v2/introspect`;
  const response = await fetch(url, { method: "POST", headers, body });
  return { status: response.status, body: (await response.json()) as { [name: string]: unknown } };
}

const isActive = async (token: string) => {
  const { authorization } = await givenApi();
  return (await ask(token, { authorization })).body.active;
};

describeFew().each([
  ["opaque", {}],
  ["JWT", jwt],
])("an access token that is %s", (kind, given) => {
  test("is told of to an API of its project, with what its scopes stand for", async () => {
    const [app, person] = [await parties.givenApp(given), await parties.givenPerson()];
    const tokens = await logIn(parties.browser(), app, person, offline);
    expect(looksLikeJws(tokens.access_token)).toBe(kind === "JWT");
    const { authorization } = await givenApi();
    const told = await ask(tokens.access_token, { authorization });
    expect(told).toMatchObject({
      status: 200,
      body: {
        ...{ active: true, sub: person.userId, client_id: app.clientId, token_type: "Bearer" },
        ...{ username: person.userName, email: person.email, iss: parties.server.url },
        aud: [app.clientId, parties.server.project],
        ...{ exp: expect.any(Number), iat: expect.any(Number) },
      },
    });
    expect(told.body).not.toHaveProperty("name");
    const refresh = await ask(String(tokens.refresh_token), { authorization });
    expect(refresh.body).toMatchObject({ active: true, sub: person.userId });
    const info = await oidc.fetchUserInfo(app.config, tokens.access_token, person.userId);
    expect(info.email).toBe(person.email);
  });

  test("is no more once its person, its session or its application is out of use", async () => {
    const ends: readonly ((app: App, person: Person) => Promise<unknown>)[] = [
      (_app, { userId }) => parties.call("POST", `/management/v1/users/${userId}/_deactivate`, {}),
      ({ appId }) => {
        const path = `/management/v1/projects/${parties.server.project}/apps/${appId}`;
        return parties.call("POST", `${path}/_deactivate`, {});
      },
    ];
    for (const end of ends) {
      const [app, person] = [await parties.givenApp(given), await parties.givenPerson()];
      const { access_token } = await logIn(parties.browser(), app, person);
      expect(await isActive(access_token)).toBe(true);
      await end(app, person);
      expect(await isActive(access_token)).toBe(false);
    }
    const [app, person] = [await parties.givenApp(given), await parties.givenPerson()];
    const browser = parties.browser();
    const { access_token, id_token } = await logIn(browser, app, person);
    const end = oidc.buildEndSessionUrl(app.config, { id_token_hint: String(id_token) });
    await browser.open(end.href);
    await browser.send({});
    expect(await isActive(access_token)).toBe(false);
  });

  test("is nothing in part, changed, or to another project", async () => {
    const [app, person] = [await parties.givenApp(given), await parties.givenPerson()];
    const { access_token: token } = await logIn(parties.browser(), app, person);
    for (const other of [token.slice(0, -1), `${token}x`, token.slice(1), "", "none", "a.b.c"]) {
      if (other !== "") expect(await isActive(other)).toBe(false);
    }
    const { id } = await parties.call("POST", "/management/v1/projects", { name: randomUUID() });
    const { authorization } = await givenApi(String(id));
    expect((await ask(token, { authorization })).body).toEqual({ active: false });
  });
});

test("the id in a JWT is no token, and a JWT that another key signed is none", async () => {
  const [app, person] = [await parties.givenApp(jwt), await parties.givenPerson()];
  const { access_token: token } = await logIn(parties.browser(), app, person);
  const [head = "", body = ""] = token.split(".");
  const claims = JSON.parse(Buffer.from(body, "base64url").toString());
  const { kid } = JSON.parse(Buffer.from(head, "base64url").toString());
  expect(claims).toMatchObject({ sub: person.userId, client_id: app.clientId });
  expect(claims.exp - claims.iat).toBe(300);
  const { keyPairs } = await import("../../src/secrets/key-pairs.ts").then(
    ({ createKeyPairs }) => ({ keyPairs: createKeyPairs({ waitingMax: 1 }) }),
  );
  const { privateKey } = await keyPairs.create();
  const key = createPrivateKey(privateKey);
  const forged = await signJws(claims, { key, keyId: kid, type: "at+jwt" });
  const unsigned = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString("base64url")}.${body}.`;
  const publicPem = createPublicKey(key).export({ type: "spki", format: "pem" });
  const symmetric = createHash("sha256").update(publicPem).digest("base64url");
  const hs256 = `${Buffer.from(`{"alg":"HS256","kid":"${kid}"}`).toString("base64url")}.${body}`;
  for (const other of [claims.jti, forged, unsigned, `${hs256}.${symmetric}`]) {
    expect(await isActive(other)).toBe(false);
    const fetched = oidc.fetchUserInfo(app.config, other, person.userId);
    await expect(fetched).rejects.toMatchObject({ status: 401 });
  }
});

test("who asks has to prove itself, by what it was created with", async () => {
  const { authorization, clientId, clientSecret } = {
    clientId: "",
    clientSecret: "",
    ...(await givenApi()),
  };
  const open = await parties.givenApp();
  const hash = createHash("sha256").update(String(clientSecret)).digest("hex");
  const basic = (id: string, secret: string) =>
    `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
  for (const [headers, more] of [
    [{}, {}],
    [{ authorization: basic(String(clientId), "wrong") }, {}],
    [{ authorization: basic(String(clientId), hash) }, {}],
    [{ authorization: basic(open.clientId, "") }, {}],
    [{ authorization: "Bearer x" }, {}],
    [{}, { client_id: String(clientId), client_secret: hash }],
    [{}, { client_id: open.clientId }],
  ] as const) {
    const { status, body } = await ask("any", headers, more);
    expect([status, body.error]).toEqual([401, "invalid_client"]);
  }
  expect((await ask("", { authorization })).status).toBe(400);
});

inFull("an API proves itself by a key, for us, for now, and with an id once", async () => {
  const { project, url } = parties.server;
  const made = await parties.call("POST", `/management/v1/projects/${project}/apps/api`, {
    ...{ name: randomUUID(), authMethodType: "API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT" },
  });
  const clientId = String(made.clientId);
  const keys = `/management/v1/projects/${project}/apps/${String(made.appId)}/keys`;
  const { keyDetails } = await parties.call("POST", keys, { type: "KEY_TYPE_JSON" });
  const file = JSON.parse(Buffer.from(String(keyDetails), "base64").toString());
  const key = createPrivateKey(file.key);
  const now = Math.floor(parties.clock.nowMs / 1_000);
  const right = { iss: clientId, sub: clientId, aud: url, iat: now, exp: now + 60 };
  const statusOf = async (claims: object, named: { keyId?: string } = { keyId: file.keyId }) => {
    const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    const signer = { key, ...named, type: "JWT" } as Parameters<typeof signJws>[1];
    const assertion = await signJws({ ...claims }, signer);
    const shown = { client_assertion_type: type, client_assertion: assertion };
    return (await ask("any", {}, shown)).status;
  };
  expect(await statusOf(right)).toBe(200);
  for (const path of ["/oauth/v2/introspect", "/oauth/v2/token"]) {
    expect([path, await statusOf({ ...right, aud: url + path })]).toEqual([path, 200]);
  }
  const jti = { ...right, jti: randomUUID() };
  expect([await statusOf(jti), await statusOf(jti)]).toEqual([200, 401]);
  for (const wrong of [
    { aud: "https://other.example.com" },
    { iss: "other" },
    { exp: now - 60 },
    { exp: undefined },
    { exp: now + 7_200 },
    { nbf: now + 60 },
  ]) {
    expect([wrong, await statusOf({ ...right, ...wrong })]).toEqual([wrong, 401]);
  }
  expect(await statusOf(right, { keyId: "unknown" })).toBe(401);
  // One who names no key means any, also while one takes the place of another.
  expect(await statusOf(right, {})).toBe(200);
  const next = await parties.call("POST", keys, { type: "KEY_TYPE_JSON" });
  expect(await statusOf(right, {})).toBe(200);
  await parties.call("DELETE", `${keys}/${file.keyId}`);
  expect(await statusOf(right, {})).toBe(401);
  await parties.call("DELETE", `${keys}/${String(next.id)}`);
  expect(await statusOf(right, {})).toBe(401);
});

test("a machine gets tokens for itself, which end with it and with the secret", async () => {
  const made = await parties.call("POST", "/management/v1/users/machine", {
    ...{ userName: randomUUID(), name: "Robot" },
  });
  const path = `/management/v1/users/${String(made.userId)}`;
  const secret = await parties.call("PUT", `${path}/secret`, {});
  const [clientId, clientSecret] = [String(secret.clientId), String(secret.clientSecret)];
  for (const method of [oidc.ClientSecretBasic, oidc.ClientSecretPost]) {
    const config = await oidc.discovery(
      new URL(parties.server.url),
      clientId,
      undefined,
      method(clientSecret),
      { execute: [oidc.allowInsecureRequests] },
    );
    const { access_token } = await oidc.clientCredentialsGrant(config);
    const { authorization } = await givenApi();
    expect((await ask(access_token, { authorization })).body).toMatchObject({
      ...{ active: true, sub: clientId, client_id: clientId },
    });
    const mine = await fetch(`${parties.server.url}/auth/v1/users/me`, {
      headers: { authorization: `Bearer ${access_token}` },
    });
    expect(mine.status).toBeGreaterThanOrEqual(400);
    if (method === oidc.ClientSecretBasic) continue;
    const isActive = async () => (await ask(access_token, { authorization })).body.active;
    await parties.call("POST", `${path}/_deactivate`, {});
    expect(await isActive()).toBe(false);
    await parties.call("POST", `${path}/_reactivate`, {});
    expect(await isActive()).toBe(true);
    await parties.call("DELETE", `${path}/secret`);
    expect(await isActive()).toBe(false);
    await expect(oidc.clientCredentialsGrant(config)).rejects.toMatchObject({
      error: "invalid_client",
    });
    await parties.call("PUT", `${path}/secret`, {});
    expect(await isActive()).toBe(false);
  }
});

test("a refresh token is none where its application may use none any more", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const tokens = await logIn(parties.browser(), app, person, offline);
  const refresh = String(tokens.refresh_token);
  expect(await isActive(refresh)).toBe(true);
  const path = `/management/v1/projects/${parties.server.project}/apps/${app.appId}/oidc_config`;
  await parties.call("PUT", path, {
    ...{ redirectUris: [callback], authMethodType: "OIDC_AUTH_METHOD_TYPE_NONE" },
    responseTypes: ["OIDC_RESPONSE_TYPE_CODE"],
    grantTypes: ["OIDC_GRANT_TYPE_AUTHORIZATION_CODE"],
  });
  expect(await isActive(refresh)).toBe(false);
  expect(await isActive(tokens.access_token)).toBe(true);
});
