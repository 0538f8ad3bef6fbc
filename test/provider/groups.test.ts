import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { v7 } from "uuid";
import { groupClaimLimits } from "../../src/provider/token/groups.ts";
import { givenGroup, joined } from "../cases/groups.ts";
import { givenOrganization } from "../harness/server.ts";
import { isLetIn, statusOfUserinfo } from "./asking.ts";
import { allowed, api, callWith, grant } from "./consenting.ts";
import {
  claimsIn,
  givenAskerOf,
  givenProjectOf,
  grantProject,
  ownRoles,
  rolesSaid,
  type Said,
  userinfoOf,
} from "./granting.ts";
import { logIn, type Parties, type Person, startParties } from "./relying.ts";

/** The groups of a person in what applications are told, and what a person holds by them. */

let parties: Parties;
let organization: string;

beforeAll(async () => {
  parties = await startParties();
  organization = parties.server.admin.organization;
});
afterAll(() => parties.close());

const jwt = { accessTokenType: "OIDC_TOKEN_TYPE_JWT" };
const groupIds = "urn:iam:org:groups";
const omitted = { "urn:iam:org:groups:omitted": true };
const audience = (project: string) => `urn:iam:org:project:id:${project}:aud`;
const groups = "/management/v1/groups";

/** A group with one member; answers its path. */
async function givenGroupOf({ userId }: Person, name: string, owner = organization) {
  const { id } = await parties.call("POST", groups, { name }, owner);
  await parties.call("POST", `${groups}/${String(id)}/members`, { userId }, owner);
  return { id: String(id), path: `${groups}/${String(id)}` };
}

const groupsSaid = (said: Said): Said =>
  Object.fromEntries(Object.entries(said).filter(([name]) => /^groups$|:groups/.test(name)));

/** What everybody says of the groups of a person who logs in. */
async function said(project: string, person: Person, scope: string, asking = project) {
  const app = await parties.givenApp(jwt, project);
  const asker = await givenAskerOf(parties, asking);
  const { access_token: token, id_token } = await logIn(parties.browser(), app, person, { scope });
  return {
    idToken: groupsSaid(claimsIn(id_token)),
    accessToken: groupsSaid(claimsIn(token)),
    userinfo: groupsSaid(await userinfoOf(parties, token)),
    introspection: groupsSaid(await asker(token)),
  };
}

const alike = (claims: Said) => ({
  ...{ idToken: claims, accessToken: claims, userinfo: claims, introspection: claims },
});

describe("the claim of groups", () => {
  test("has their names by one scope, and their ids by the other", async () => {
    const project = await givenProjectOf(parties, []);
    const person = await parties.givenPerson();
    const [one, other] = [v7(), v7()];
    const first = await givenGroupOf(person, one);
    const second = await givenGroupOf(person, other);
    const ids = { [groupIds]: { [first.id]: organization, [second.id]: organization } };
    expect(await said(project, person, "openid")).toEqual(alike({}));
    expect(await said(project, person, "openid groups")).toEqual(alike({ groups: [one, other] }));
    expect(await said(project, person, `openid ${groupIds}`)).toEqual(alike(ids));
    const outsider = await parties.givenPerson();
    expect(await said(project, outsider, `openid groups ${groupIds}`)).toEqual(alike({}));
  });
});

describe("names of groups that mean another's", () => {
  test("are none of another organization", async () => {
    const elsewhere = await givenOrganization(parties.server);
    const project = await givenProjectOf(parties, []);
    const person = await parties.givenPerson({}, elsewhere);
    const { id } = await givenGroupOf(person, "admins", elsewhere);
    const found = await said(project, person, `openid groups ${groupIds}`);
    expect(found).toEqual(alike({ [groupIds]: { [id]: elsewhere } }));
  });

  test("are in no token that is for a project of another organization, too", async () => {
    const elsewhere = await givenOrganization(parties.server);
    const { id } = await parties.call("POST", "/management/v1/projects", { name: v7() }, elsewhere);
    await grantProject(parties, String(id), { to: organization, owner: elsewhere });
    const [own, other] = [await givenProjectOf(parties, []), await givenProjectOf(parties, [])];
    const person = await parties.givenPerson();
    await givenGroupOf(person, "admins of this organization");
    const named = { groups: ["admins of this organization"] };
    expect(await said(own, person, `openid groups ${audience(other)}`)).toEqual(alike(named));
    const wide = await said(own, person, `openid groups ${audience(String(id))}`);
    // The id token is for the application alone, and who asks has groups of its own.
    expect(wide).toEqual({ ...alike(named), accessToken: {}, userinfo: {} });
  });
});

describe("the claim of groups, later", () => {
  test("has the name of now, and ends with the membership and the group", async () => {
    const project = await givenProjectOf(parties, []);
    const person = await parties.givenPerson();
    const [one, other] = [await givenGroupOf(person, v7()), await givenGroupOf(person, v7())];
    const app = await parties.givenApp(jwt, project);
    const scope = "openid offline_access groups";
    const tokens = await logIn(parties.browser(), app, person, { scope });
    const now = async () => (await userinfoOf(parties, tokens.access_token)).groups;
    const [first, second] = [v7(), v7()];
    await parties.call("PUT", one.path, { name: first });
    await parties.call("PUT", other.path, { name: second });
    expect(await now()).toEqual([first, second]);
    await parties.call("DELETE", `${one.path}/members/${person.userId}`);
    expect(await now()).toEqual([second]);
    await parties.call("DELETE", other.path);
    expect(await now()).toBeUndefined();
    const next = await oidc.refreshTokenGrant(app.config, String(tokens.refresh_token));
    expect(groupsSaid(claimsIn(next.access_token))).toEqual({});
    expect(groupsSaid(claimsIn(next.id_token))).toEqual({});
    // Another group of the name has other members.
    await parties.call("POST", groups, { name: second });
    expect(await now()).toBeUndefined();
  });

  test("takes no more of a token than there is room for", async () => {
    const { bytesOfToken } = groupClaimLimits;
    const long = Array.from({ length: 20 }, (_, index) => `${index}`.padStart(200, "g"));
    const size = (names: readonly string[]) => JSON.stringify({ groups: names }).length;
    const last = "l".repeat(bytesOfToken - size([...long, ""]));
    for (const [name, isNamed] of [
      [last, true],
      [`${last}x`, false],
    ] as const) {
      const owner = await givenOrganization(parties.server);
      const person = await parties.givenPerson({}, owner);
      const names = [...long, name];
      const ids: string[] = [];
      for (const one of names) ids.push(await givenGroup(parties.server, owner, { name: one }));
      await joined(parties.server, owner, person.userId, ...ids);
      const { id } = await parties.call("POST", "/management/v1/projects", { name: v7() }, owner);
      const app = await parties.givenApp(jwt, String(id), owner);
      const scope = "openid groups";
      const tokens = await logIn(parties.browser(), app, person, { scope });
      const told = isNamed ? { groups: names } : omitted;
      expect(groupsSaid(claimsIn(tokens.id_token))).toEqual(told);
      expect(groupsSaid(claimsIn(tokens.access_token))).toEqual(told);
      expect(groupsSaid(await userinfoOf(parties, tokens.access_token))).toEqual({ groups: names });
    }
  });
});

describe("what is granted to a group", () => {
  test("its members hold, besides what they are granted themselves", async () => {
    const given = { projectRoleAssertion: true, projectRoleCheck: true };
    const project = await givenProjectOf(parties, ["editor", "reader", "spare"], given);
    const app = await parties.givenApp({ ...jwt, accessTokenRoleAssertion: true }, project);
    const person = await parties.givenPerson();
    const [one, other] = [await givenGroupOf(person, v7()), await givenGroupOf(person, v7())];
    const { grantId } = await parties.call("POST", `${one.path}/grants`, {
      ...{ projectId: project, roleKeys: ["reader"] },
    });
    const roleKeys = ["editor", "reader"];
    await parties.call("POST", `${other.path}/grants`, { projectId: project, roleKeys });
    const browser = parties.browser();
    const { access_token } = await logIn(browser, app, person);
    const both = ownRoles(project, organization, ["reader", "editor"]);
    expect(rolesSaid(claimsIn(access_token))).toEqual(both);
    const now = async () => rolesSaid(await userinfoOf(parties, access_token));
    await parties.call("DELETE", other.path);
    expect(await now()).toEqual(ownRoles(project, organization, ["reader"]));
    const path = `/management/v1/users/${person.userId}/grants`;
    const { userGrantId } = await parties.call("POST", path, {
      projectId: project,
      roleKeys: ["spare"],
    });
    expect(await now()).toEqual(ownRoles(project, organization, ["spare", "reader"]));
    await parties.call("DELETE", `${path}/${String(userGrantId)}`);
    await parties.call("PUT", `${one.path}/grants/${String(grantId)}`, { roleKeys: ["spare"] });
    expect(await now()).toEqual(ownRoles(project, organization, ["spare"]));
    expect(await isLetIn(browser, app)).toBe(true);
    await parties.call("DELETE", `${one.path}/members/${person.userId}`);
    expect(await statusOfUserinfo(parties, access_token)).toBe(401);
    expect(await isLetIn(browser, app)).toBe(false);
  });

  test.each([
    ["the group is removed", ({ path }: Joined) => path],
    ["the person leaves it", ({ path, userId }: Joined) => `${path}/members/${userId}`],
    ["the grant is removed", ({ path, grantId }: Joined) => `${path}/grants/${grantId}`],
  ])("lets a token for the API in until %s", async (_, removed) => {
    const project = await givenProjectOf(parties, ["user"], { projectRoleCheck: true });
    const app = await parties.givenApp({}, project);
    const person = await parties.givenPerson();
    const { path } = await givenGroupOf(person, v7());
    const body = { projectId: project, roleKeys: ["user"] };
    const { grantId } = await parties.call("POST", `${path}/grants`, body);
    await grant(parties, person, ["IAM_OWNER"]);
    const { access_token } = await allowed(parties.browser(), app, person, api);
    const projects = "/management/v1/projects";
    const write = async () =>
      (await callWith(parties, access_token, projects, { name: v7() })).status;
    const read = async () => (await callWith(parties, access_token, `${projects}/_search`)).status;
    expect([await write(), await read()]).toEqual([200, 200]);
    const { userId } = person;
    await parties.call("DELETE", removed({ path, userId, grantId: String(grantId) }));
    expect([await write(), await read()]).toEqual([401, 401]);
  });
});

interface Joined {
  readonly path: string;
  readonly userId: string;
  readonly grantId: string;
}
