import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { v7 } from "uuid";
import { acting, jwt, set, startActing } from "./acting.ts";
import { addRoles, givenProjectOf, grantRoles } from "./granting.ts";
import type { Parties } from "./relying.ts";

// What actions are told of a person besides what tokens say.

let parties: Parties;
let acts: ReturnType<typeof acting>;

beforeAll(async () => {
  parties = await startActing();
  acts = acting(parties);
});
afterAll(() => parties.close());

/** A project of an organization that has the role `editor`. */
async function givenOwnProject(orgId: string, name = v7() as string): Promise<string> {
  const { id } = await parties.call("POST", "/management/v1/projects", { name }, orgId);
  await addRoles(parties, String(id), ["editor"], orgId);
  return String(id);
}

test("an action is told the grants by which the person holds roles now", async () => {
  const { call } = parties;
  const there = await acts.given({ 4: [{ body: set("told", "ctx.v1.user.grants") }] });
  const { orgId, person } = there;
  const { userId } = person;
  const name = v7();
  const own = await givenOwnProject(orgId, name);
  const path = await grantRoles(parties, person, own, ["editor"], orgId);

  const sold = await givenProjectOf(parties, ["reader", "spare"]);
  const offer = { grantedOrgId: orgId, roleKeys: ["reader"] };
  const { grantId } = await call("POST", `/management/v1/projects/${sold}/grants`, offer);
  const byOffer = { projectId: sold, projectGrantId: grantId, roleKeys: ["reader"] };
  await call("POST", `/management/v1/users/${userId}/grants`, byOffer, orgId);

  const ofGroup = await givenOwnProject(orgId);
  const { id: groupId } = await call("POST", "/management/v1/groups", { name: v7() }, orgId);
  const group = `/management/v1/groups/${String(groupId)}`;
  await call("POST", `${group}/members`, { userId }, orgId);
  await call("POST", `${group}/grants`, { projectId: ofGroup, roleKeys: ["editor"] }, orgId);

  const { access } = await acts.tokensOf(there);
  const toldNow = async () => (await acts.userinfo(access)).body.told;
  const all = {
    ...{ userId, state: 1, userResourceOwner: orgId, userGrantResourceOwner: orgId },
    ...{ userGrantResourceOwnerName: expect.any(String), id: expect.any(String) },
  };
  const others = [
    { projectId: sold, projectGrantId: grantId, roles: ["reader"] },
    { projectId: ofGroup, projectGrantId: "", roles: ["editor"] },
  ].map((one) => ({ ...all, ...one, projectName: expect.any(String) }));
  const first = { ...all, projectId: own, projectName: name, projectGrantId: "" };
  expect(await toldNow()).toEqual({
    count: 3,
    grants: [{ ...first, id: path.split("/").at(-1), roles: ["editor"] }, ...others],
  });
  await call("POST", `${path}/_deactivate`, {}, orgId);
  expect(await toldNow()).toEqual({ count: 2, grants: others });
});

test("a script of the compatible API flattens roles into a JWT", async () => {
  const body = `
    if (ctx.v1.user.grants == undefined || ctx.v1.user.grants.count == 0) return;
    const grants = [];
    ctx.v1.user.grants.grants.forEach((claim) => {
      claim.roles.forEach((role) => { grants.push(claim.projectId + ":" + role); });
    });
    api.v1.claims.setClaim("my:roles", grants);`;
  const there = await acts.given({ 5: [{ body }] }, { made: jwt });
  expect(decodeJwt((await acts.tokensOf(there)).access)).not.toHaveProperty("my:roles");
  const project = await givenOwnProject(there.orgId);
  await grantRoles(parties, there.person, project, ["editor"], there.orgId);
  const { access } = await acts.tokensOf(there);
  expect(decodeJwt(access)).toHaveProperty("my:roles", [`${project}:editor`]);
});

test("an action is told the organization, which has no metadata", async () => {
  const body = set("told", "[ctx.v1.org.id, ctx.v1.org.name, ctx.v1.org.getMetadata()]");
  const there = await acts.given({ 4: [{ body }] });
  const { body: said } = await acts.userinfo((await acts.tokensOf(there)).access);
  expect(said.told).toEqual([there.orgId, expect.any(String), { count: 0, metadata: [] }]);
});
