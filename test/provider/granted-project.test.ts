import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { givenOrganization } from "../harness/server.ts";
import { isLetIn, statusOfUserinfo } from "./asking.ts";
import { allowed, api, callWith, grant } from "./consenting.ts";
import {
  claimsIn,
  givenAskerOf,
  givenProjectOf,
  ownRoles,
  rolesSaid,
  userinfoOf,
} from "./granting.ts";
import { begin, logIn, type Parties, type Person, startParties } from "./relying.ts";

/** People of an organization that was granted a project, in its applications. */

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

/** A project, and a person of a customer to which it is granted with the role `user`. */
async function givenCustomer(settings: object) {
  const { call, server } = parties;
  const project = await givenProjectOf(parties, ["user", "spare"], settings);
  const customer = await givenOrganization(server);
  const person = await parties.givenPerson({}, customer);
  const grants = `/management/v1/projects/${project}/grants`;
  const made = await call("POST", grants, { grantedOrgId: customer, roleKeys: ["user"] });
  const projectGrantId = String(made.grantId);
  return { project, customer, person, projectGrantId, path: `${grants}/${projectGrantId}` };
}

type Customer = Awaited<ReturnType<typeof givenCustomer>>;

/** The customer grants its person the role. */
async function giveRole({ person, customer, project: projectId, projectGrantId }: Customer) {
  const body = { projectId, projectGrantId, roleKeys: ["user"] };
  await parties.call("POST", `/management/v1/users/${person.userId}/grants`, body, customer);
}

async function refusedFor(url: URL, { userName, password }: Person): Promise<string> {
  const browser = parties.browser();
  await browser.open(url.href);
  return (await browser.send({ userName, password })).url;
}

test("claims name the organization that granted the role to its person", async () => {
  const given = await givenCustomer({});
  const { project, customer, person, path } = given;
  await giveRole(given);
  const app = await parties.givenApp(
    { accessTokenType: "OIDC_TOKEN_TYPE_JWT", accessTokenRoleAssertion: true },
    project,
  );
  const asker = await givenAskerOf(parties, project);
  const { access_token: token } = await logIn(parties.browser(), app, person);
  const roles = ownRoles(project, customer, ["user"]);
  expect(rolesSaid(claimsIn(token))).toEqual(roles);
  expect(rolesSaid(await userinfoOf(parties, token))).toEqual(roles);
  expect(rolesSaid(await asker(token))).toEqual(roles);

  // What is taken back is gone at once, from the next token too, and comes back with it.
  await parties.call("POST", `${path}/_deactivate`, {});
  expect(rolesSaid(await userinfoOf(parties, token))).toEqual({});
  expect(rolesSaid(await asker(token))).toEqual({});
  const next = await logIn(parties.browser(), app, person);
  expect(rolesSaid(claimsIn(next.access_token))).toEqual({});
  await parties.call("POST", `${path}/_reactivate`, {});
  expect(rolesSaid(await asker(token))).toEqual(roles);
  await parties.call("PUT", path, { roleKeys: ["spare"] });
  expect(rolesSaid(await asker(token))).toEqual({});
});

test("with hasProjectCheck, people of organizations with the project log in", async () => {
  const { project, customer, person, path } = await givenCustomer({ hasProjectCheck: true });
  const app = await parties.givenApp({}, project);
  const [other, stranger] = [
    await parties.givenPerson({}, customer),
    await parties.givenPerson({}, await givenOrganization(parties.server)),
  ];
  const browser = parties.browser();
  const { access_token: token } = await logIn(browser, app, person);
  expect(await statusOfUserinfo(parties, token)).toBe(200);
  expect(await refusedFor((await begin(app)).url, other)).toContain("code=");
  expect(await refusedFor((await begin(app)).url, stranger)).toContain("error=access_denied");

  await parties.call("POST", `${path}/_deactivate`, {});
  expect(await statusOfUserinfo(parties, token)).toBe(401);
  expect(await isLetIn(browser, app)).toBe(false);
  expect(await refusedFor((await begin(app)).url, other)).toContain("error=access_denied");
  await parties.call("POST", `${path}/_reactivate`, {});
  expect(await statusOfUserinfo(parties, token)).toBe(200);
  expect(await isLetIn(browser, app)).toBe(true);
  await parties.call("DELETE", path);
  expect(await statusOfUserinfo(parties, token)).toBe(401);
});

test("a token for the API stands and falls with the project grant", async () => {
  const given = await givenCustomer({ hasProjectCheck: true, projectRoleCheck: true });
  const { project, person, path } = given;
  const app = await parties.givenApp({}, project);
  await grant(parties, person, ["IAM_OWNER"]);
  expect(await refusedFor((await begin(app, api)).url, person)).toContain("error=access_denied");
  await giveRole(given);
  const { access_token: token } = await allowed(parties.browser(), app, person, api);
  const projects = "/management/v1/projects";
  const statuses = async () => [
    (await callWith(parties, token, projects, { name: v7() })).status,
    (await callWith(parties, token, `${projects}/_search`)).status,
  ];
  expect(await statuses()).toEqual([200, 200]);
  await parties.call("PUT", path, { roleKeys: ["spare"] });
  expect(await statuses()).toEqual([401, 401]);
  await parties.call("PUT", path, { roleKeys: ["user"] });
  expect(await statuses()).toEqual([200, 200]);
  await parties.call("POST", `${path}/_deactivate`, {});
  expect(await statuses()).toEqual([401, 401]);
});
