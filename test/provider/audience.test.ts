import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { v7 } from "uuid";
import { apiScope, scopeLimits } from "../../src/provider/token/scopes.ts";
import { few } from "../harness/in-full.ts";
import { begin, fetchTokens, logIn, type Parties, startParties } from "./relying.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const scopeOf = (project: string) => `urn:iam:org:project:id:${project}:aud`;
const jwt = { accessTokenType: "OIDC_TOKEN_TYPE_JWT" };

async function givenProject(given = {}): Promise<string> {
  const made = await parties.call("POST", "/management/v1/projects", { name: v7(), ...given });
  return String(made.id);
}

/** What an API application of the project is told of a token. */
async function told(project: string, token: string) {
  const path = `/management/v1/projects/${project}/apps/api`;
  const { clientId, clientSecret } = await parties.call("POST", path, {
    ...{ name: randomUUID(), authMethodType: "API_AUTH_METHOD_TYPE_BASIC" },
  });
  const pair = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
  const response = await fetch(`${parties.server.url}/oauth/v2/introspect`, {
    method: "POST",
    headers: { authorization: `Basic ${pair}` },
    body: new URLSearchParams({ token }),
  });
  return (await response.json()) as { readonly active: boolean; readonly aud?: unknown };
}

const audienceOf = (token: string) =>
  JSON.parse(Buffer.from(String(token.split(".")[1]), "base64url").toString()).aud as unknown;

few().each([
  ["opaque", {}],
  ["JWT", jwt],
])("APIs of other projects are told of a token that names them: %s", async (kind, given) => {
  const [app, person] = [await parties.givenApp(given), await parties.givenPerson()];
  const [named, other] = [await givenProject(), await givenProject()];
  const nobody = v7();
  const scope = `openid offline_access ${scopeOf(named)} ${scopeOf(nobody)} ${scopeOf("x")}`;
  const browser = parties.browser();
  const tokens = await logIn(browser, app, person, { scope });
  const aud = [app.clientId, parties.server.project, named];
  expect(await told(named, tokens.access_token)).toMatchObject({ active: true, aud });
  expect(await told(parties.server.project, tokens.access_token)).toMatchObject({ aud });
  expect(await told(other, tokens.access_token)).toEqual({ active: false });
  if (kind === "JWT") expect(audienceOf(tokens.access_token)).toEqual(aud);

  // A refresh goes on with what was asked for, or with less, and another login has its own.
  const refreshed = await oidc.refreshTokenGrant(app.config, String(tokens.refresh_token));
  expect(await told(named, refreshed.access_token)).toMatchObject({ active: true, aud });
  const refresh = String(refreshed.refresh_token);
  for (const wider of [scopeOf(other), apiScope, "profile"]) {
    await expect(
      oidc.refreshTokenGrant(app.config, refresh, { scope: `openid ${wider}` }),
    ).rejects.toMatchObject({ error: "invalid_scope" });
  }
  const less = await oidc.refreshTokenGrant(app.config, refresh, { scope: "openid" });
  expect(await told(named, less.access_token)).toEqual({ active: false });
  const begun = await begin(app, { scope: "openid" });
  await browser.open(begun.url.href);
  const plain = await fetchTokens(app, begun, browser.page.url);
  expect(await told(named, plain.access_token)).toEqual({ active: false });
});

test("a project that is not for the person is told nothing, from then on", async () => {
  const person = await parties.givenPerson();
  const app = await parties.givenApp(jwt);
  const [closed, closing] = [await givenProject({ projectRoleCheck: true }), await givenProject()];
  const scope = `openid ${scopeOf(closed)} ${scopeOf(closing)}`;
  const { access_token } = await logIn(parties.browser(), app, person, { scope });
  expect(audienceOf(access_token)).toEqual([app.clientId, parties.server.project, closing]);
  expect(await told(closed, access_token)).toEqual({ active: false });
  expect(await told(closing, access_token)).toMatchObject({ active: true });
  const path = `/management/v1/projects/${closing}`;
  await parties.call("PUT", path, { name: v7(), projectRoleCheck: true });
  expect(await told(closing, access_token)).toEqual({ active: false });
});

test("the API of this service is an audience by its scope, and no project", async () => {
  const app = await parties.givenApp(jwt);
  const browser = parties.browser();
  const begun = await begin(app, { scope: `openid ${apiScope}` });
  await browser.open(begun.url.href);
  await browser.send({ ...(await parties.givenPerson()) }, "password");
  const { url } = await browser.send({}, "allow");
  const { access_token } = await fetchTokens(app, begun, url);
  expect(audienceOf(access_token)).toEqual([app.clientId, parties.server.project, "iam"]);
  const { url: home } = parties.server;
  const found = await (await fetch(`${home}/.well-known/openid-configuration`)).json();
  expect((found as { scopes_supported: unknown }).scopes_supported).toContain(apiScope);
});

test(`of a login, the last ${scopeLimits.audiences} projects count`, async () => {
  const [app, person] = [await parties.givenApp(jwt), await parties.givenPerson()];
  const ids = await Promise.all(Array.from({ length: scopeLimits.audiences + 1 }, givenNumbered));
  const audience = async (projects: readonly string[]) => {
    const scope = ["openid", ...projects.map(scopeOf)].join(" ");
    const { access_token } = await logIn(parties.browser(), app, person, { scope });
    return (audienceOf(access_token) as readonly string[]).slice(2);
  };
  const most = ids.slice(0, scopeLimits.audiences);
  expect(await audience(most)).toEqual(most);
  expect(await audience(ids)).toEqual(ids.slice(1));
});

const givenNumbered = () => givenProject();
