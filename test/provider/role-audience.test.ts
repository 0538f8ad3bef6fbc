import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { givenOrganization } from "../harness/server.ts";
import {
  addRoles,
  claimsIn,
  givenAskerOf,
  givenProjectOf,
  grantProject,
  grantRoles,
  othersRoles,
  ownRoles,
  rolesSaid,
  userinfoOf,
} from "./granting.ts";
import { logIn, type Parties, startParties } from "./relying.ts";

/** The roles of a token that is for another project than that of its application, too. */

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const audience = (project: string) => `urn:iam:org:project:id:${project}:aud`;

/** A project with the role `admin`, which a person of its organization has. */
async function givenAdmin(owner: string) {
  const { id } = await parties.call("POST", "/management/v1/projects", { name: v7() }, owner);
  const own = String(id);
  await addRoles(parties, own, ["admin"], owner);
  const person = await parties.givenPerson({}, owner);
  await grantRoles(parties, person, own, ["admin"], owner);
  const given = { accessTokenType: "OIDC_TOKEN_TYPE_JWT", accessTokenRoleAssertion: true };
  const app = await parties.givenApp(given, own, owner);
  const tokenFor = async (...named: readonly string[]) => {
    const scope = ["openid", ...named.map(audience)].join(" ");
    return (await logIn(parties.browser(), app, person, { scope })).access_token;
  };
  return { own, tokenFor };
}

describe("roles that mean another project's", () => {
  test.each([
    ["another organization", () => givenOrganization(parties.server)],
    ["the same one", () => parties.server.admin.organization],
  ])("go by the id of their project, where that is of %s", async (_, ownerOf) => {
    const owner = await ownerOf();
    const { own, tokenFor } = await givenAdmin(owner);
    const project = await givenProjectOf(parties, ["admin"]);
    if (owner !== parties.server.admin.organization) {
      await grantProject(parties, project, { to: owner });
    }
    const token = await tokenFor(project);
    expect(claimsIn(token).aud).toContain(project);
    const named = othersRoles(own, owner, ["admin"]);
    expect(rolesSaid(claimsIn(token))).toEqual(named);
    expect(rolesSaid(await userinfoOf(parties, token))).toEqual(named);
    expect(rolesSaid(await (await givenAskerOf(parties, project))(token))).toEqual({});
  });

  test("are those of the own project in a token that names that as its audience", async () => {
    const { organization } = parties.server.admin;
    const { own, tokenFor } = await givenAdmin(organization);
    const roles = ownRoles(own, organization, ["admin"]);
    const token = await tokenFor(own);
    expect(rolesSaid(claimsIn(token))).toEqual(roles);
    expect(rolesSaid(await userinfoOf(parties, token))).toEqual(roles);
  });
});
