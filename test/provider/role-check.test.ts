import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { v7 } from "uuid";
import { givenOrganization } from "../harness/server.ts";
import { isLetIn, statusOfUserinfo } from "./asking.ts";
import { allowed, api, callWith, grant } from "./consenting.ts";
import {
  claimsIn,
  givenAskerOf,
  givenProjectOf,
  grantRoles,
  othersRoles,
  ownRoles,
  rolesSaid,
  userinfoOf,
} from "./granting.ts";
import { begin, logIn, type Parties, type Person, startParties } from "./relying.ts";

/** Who may log in by roles and organizations, and what else scopes ask for. */

let parties: Parties;
let organization: string;

beforeAll(async () => {
  parties = await startParties();
  organization = parties.server.admin.organization;
});
afterAll(() => parties.close());

const checked = { projectRoleCheck: true };
const offline = { scope: "openid offline_access" };

async function refusedFor(url: URL, { userName, password }: Person): Promise<string> {
  const browser = parties.browser();
  await browser.open(url.href);
  return (await browser.send({ userName, password })).url;
}

test("with projectRoleCheck, people with a role log in, and others do not", async () => {
  const project = await givenProjectOf(parties, ["user", "spare"], checked);
  const app = await parties.givenApp({}, project);
  const [person, other] = [await parties.givenPerson(), await parties.givenPerson()];
  const path = await grantRoles(parties, person, project, ["user"]);
  const browser = parties.browser();
  const tokens = await logIn(browser, app, person, offline);
  expect(await statusOfUserinfo(parties, tokens.access_token)).toBe(200);
  expect(await isLetIn(browser, app)).toBe(true);
  expect(await refusedFor((await begin(app)).url, other)).toContain("error=access_denied");
  // A role of another project is none of this.
  await grantRoles(parties, other, await givenProjectOf(parties, ["user"]), ["user"]);
  expect(await refusedFor((await begin(app)).url, other)).toContain("error=access_denied");

  await parties.call("POST", `${path}/_deactivate`, {});
  expect(await statusOfUserinfo(parties, tokens.access_token)).toBe(401);
  expect(await isLetIn(browser, app)).toBe(false);
  await parties.call("POST", `${path}/_reactivate`, {});
  expect(await statusOfUserinfo(parties, tokens.access_token)).toBe(200);
  expect(await isLetIn(browser, app)).toBe(true);
  await parties.call("DELETE", `/management/v1/projects/${project}/roles/user`);
  expect(await statusOfUserinfo(parties, tokens.access_token)).toBe(401);
  const refresh = oidc.refreshTokenGrant(app.config, String(tokens.refresh_token));
  await expect(refresh).rejects.toMatchObject({ error: "invalid_grant" });
});

test("a token for the API of an application that checks roles is for who holds one", async () => {
  const project = await givenProjectOf(parties, ["user", "spare"], checked);
  const app = await parties.givenApp({}, project);
  const person = await parties.givenPerson();
  await grant(parties, person, ["IAM_OWNER"]);
  const path = await grantRoles(parties, person, project, ["user", "spare"]);
  const { access_token } = await allowed(parties.browser(), app, person, api);
  const projects = "/management/v1/projects";
  const write = async () =>
    (await callWith(parties, access_token, projects, { name: v7() })).status;
  const read = async () => (await callWith(parties, access_token, `${projects}/_search`)).status;
  expect([await write(), await read()]).toEqual([200, 200]);
  await parties.call("DELETE", `${projects}/${project}/roles/user`);
  expect([await write(), await read()]).toEqual([200, 200]);
  await parties.call("DELETE", path);
  expect([await write(), await read()]).toEqual([401, 401]);
});

test("a project that asks for roles is told of tokens of those alone who hold one", async () => {
  const project = await givenProjectOf(parties, ["user"], checked);
  const app = await parties.givenApp();
  const asker = await givenAskerOf(parties, project);
  const person = await parties.givenPerson();
  const scope = `openid urn:iam:org:project:id:${project}:aud`;
  const told = async () => {
    const { access_token } = await logIn(parties.browser(), app, person, { scope });
    return { ask: async () => (await asker(access_token)).active };
  };
  expect(await (await told()).ask()).toBe(false);
  const path = await grantRoles(parties, person, project, ["user"]);
  const { ask } = await told();
  expect(await ask()).toBe(true);
  await parties.call("DELETE", path);
  expect(await ask()).toBe(false);
});

test("a scope names the organization whose people alone log in", async () => {
  const app = await parties.givenApp();
  const elsewhere = await givenOrganization(parties.server);
  const [own, foreign] = [await parties.givenPerson(), await parties.givenPerson({}, elsewhere)];
  const scope = `openid urn:iam:org:id:${organization}`;
  const browser = parties.browser();
  const { access_token } = await logIn(browser, app, own, { scope });
  expect((await userinfoOf(parties, access_token)).sub).toBe(own.userId);
  expect(await refusedFor((await begin(app, { scope })).url, foreign)).toContain(
    "error=access_denied",
  );
  // Of several, the last counts; one that is of no organization is of nobody.
  const both = { scope: `${scope} urn:iam:org:id:${elsewhere}` };
  expect(await refusedFor((await begin(app, both)).url, own)).toContain("error=access_denied");
  expect(await refusedFor((await begin(app, both)).url, foreign)).toContain("code=");
  const none = { scope: "openid urn:iam:org:id:none" };
  expect(await refusedFor((await begin(app, none)).url, own)).toContain("error=access_denied");
  // Who is logged in already is asked who else it is.
  const there = await begin(app, { scope: `openid urn:iam:org:id:${elsewhere}`, prompt: "none" });
  await browser.open(there.url.href);
  expect(browser.page.url).toContain("error=login_required");
});

test("scopes ask for the organization and the metadata of a person", async () => {
  const app = await parties.givenApp({ accessTokenType: "OIDC_TOKEN_TYPE_JWT" });
  const person = await parties.givenPerson();
  const name = `Acme ${v7()}`;
  await parties.call("PUT", "/management/v1/orgs/me", { name });
  const value = Buffer.from([0xff, 0xfe, 0xfd]);
  const set = { value: value.toString("base64") };
  await parties.call("POST", `/management/v1/users/${person.userId}/metadata/plan`, set);
  const ask = await givenAskerOf(parties, parties.server.project);
  const ours = ["urn:iam:user:resourceowner", "urn:iam:user:metadata"];
  const told = {
    "urn:iam:user:resourceowner:id": organization,
    "urn:iam:user:resourceowner:name": name,
    "urn:iam:user:metadata": { plan: value.toString("base64url") },
  };
  const both = await logIn(parties.browser(), app, person, { scope: `openid ${ours.join(" ")}` });
  expect(await userinfoOf(parties, both.access_token)).toMatchObject(told);
  expect(await ask(both.access_token)).toMatchObject(told);
  for (const token of [both.id_token, both.access_token]) {
    expect(Object.keys(claimsIn(token)).filter((claim) => claim.startsWith("urn:"))).toEqual([]);
  }
  const neither = await logIn(parties.browser(), app, person);
  for (const said of [
    await userinfoOf(parties, neither.access_token),
    await ask(neither.access_token),
  ]) {
    expect(Object.keys(said).filter((claim) => claim.startsWith("urn:"))).toEqual([]);
  }
});

test("an id token that says what userinfo does has the organization, and no metadata", async () => {
  const app = await parties.givenApp({ idTokenUserinfoAssertion: true });
  const person = await parties.givenPerson();
  const path = `/management/v1/users/${person.userId}/metadata/plan`;
  await parties.call("POST", path, { value: "Z29sZA==" });
  const scope = "openid urn:iam:user:resourceowner urn:iam:user:metadata";
  const { id_token } = await logIn(parties.browser(), app, person, { scope });
  expect(claimsIn(id_token)).toMatchObject({ "urn:iam:user:resourceowner:id": organization });
  expect(claimsIn(id_token)).not.toHaveProperty("urn:iam:user:metadata");
});

test("a machine is told of by the scopes that it asks for", async () => {
  const project = await givenProjectOf(parties, ["robot", "spare"]);
  const { call, server } = parties;
  const { userId } = await call("POST", "/management/v1/users/machine", {
    ...{ userName: v7(), name: "A robot", accessTokenType: "ACCESS_TOKEN_TYPE_JWT" },
  });
  await grantRoles(parties, { userId: String(userId) }, project, ["robot", "spare"]);
  const made = await call("PUT", `/management/v1/users/${String(userId)}/secret`, {});
  const secret = oidc.ClientSecretBasic(String(made.clientSecret));
  const config = await oidc.discovery(new URL(server.url), String(userId), undefined, secret, {
    execute: [oidc.allowInsecureRequests],
  });
  const told = async (scope: string) => {
    const { access_token } = await oidc.clientCredentialsGrant(config, { scope });
    const asker = await givenAskerOf(parties, project);
    return [rolesSaid(claimsIn(access_token)), rolesSaid(await asker(access_token))];
  };
  const audience = (id: string) => `urn:iam:org:project:id:${id}:aud`;
  const roles = (...keys: string[]) => othersRoles(project, organization, keys);
  expect(await told(audience(project))).toEqual([{}, {}]);
  expect(await told(`${audience(project)} urn:iam:org:projects:roles`)).toEqual([
    roles("robot", "spare"),
    ownRoles(project, organization, ["robot", "spare"]),
  ]);
  const [token] = await told(`${audience(project)} urn:iam:org:project:role:robot`);
  expect(token).toEqual(roles("robot"));
});
