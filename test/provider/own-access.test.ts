import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { allowed, callWith, givenOwner } from "./consenting.ts";
import { givenProjectOf, grantRoles } from "./granting.ts";
import { type Parties, startParties } from "./relying.ts";

/** What somebody who logged in to an application is told of itself by the API. */

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const own = "/auth/v1/permissions/me/_search";
const resultOf = async (token: string, path: string) =>
  (await callWith(parties, token, path)).answer.result ?? [];

test("the roles are those of the project whose application has the token", async () => {
  const project = await givenProjectOf(parties, ["editor", "reader", "spare"]);
  const other = await givenProjectOf(parties, ["owner"]);
  const person = await parties.givenPerson();
  const grant = await grantRoles(parties, person, project, ["editor", "reader"]);
  await grantRoles(parties, person, other, ["owner"]);
  const tokenOf = async (of: string) =>
    (await allowed(parties.browser(), await parties.givenApp({}, of), person)).access_token;
  const [token, others] = [await tokenOf(project), await tokenOf(other)];

  expect(await resultOf(token, own)).toEqual(["editor", "reader"]);
  expect(await resultOf(others, own)).toEqual(["owner"]);
  await parties.call("POST", `${grant}/_deactivate`, {});
  expect(await resultOf(token, own)).toEqual([]);
  await parties.call("POST", `${grant}/_reactivate`, {});
  expect(await resultOf(token, own)).toEqual(["editor", "reader"]);
  const listed = await resultOf(token, "/auth/v1/usergrants/me/_search");
  expect(listed).toMatchObject([{ roleKeys: ["owner"] }, { roleKeys: ["editor", "reader"] }]);
});

test("the last login and what the person may do are told", async () => {
  const owner = await givenOwner(parties);
  const app = await parties.givenApp();
  const beforeMs = Date.now();
  const { access_token: token } = await allowed(parties.browser(), app, owner);
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${parties.server.url}/auth/v1/users/me`, { headers });
  const { user, lastLogin } = (await response.json()) as {
    readonly user: { readonly id: string };
    readonly lastLogin: string;
  };
  expect(user.id).toBe(owner.userId);
  expect(Date.parse(lastLogin)).toBeGreaterThanOrEqual(beforeMs);
  expect(Date.parse(lastLogin)).toBeLessThanOrEqual(Date.now());
  const permissions = await resultOf(token, "/auth/v1/permissions/iam/me/_search");
  expect(permissions).toContain("iam.member.write");
});
