import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { type Role, roles } from "../../src/domain/permission.ts";
import { givenUser } from "../harness/server.ts";
import { grantable, grantors } from "./grants.ts";
import { bearer } from "./http.ts";
import { type AccessWorld, type GivenUser, startWorld } from "./world.ts";

// One who replaces roles must hold all that is taken and all that is given, and what is true then
// counts.

const management = `/${ManagementService.typeName}`;
const places = { instance: "instance", organization: "own", project: "own-1" } as const;

let world: AccessWorld;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(() => world.close());

/** A member at the level of the first role. */
function givenMember(held: readonly Role[], organization = world.organizations.own) {
  const scope = world.scopeOf(places[roles[held[0]!].level]);
  return givenUser(world.server, organization, [{ scope, roles: held }]);
}

/** How the roles at the level of the first one are replaced, in `own` or on its first project. */
function replacement(given: readonly Role[], userId: string) {
  const body = { userId, roles: given, projectId: world.projects["own-1"] };
  const { projectId: _none, ...inOrg } = body;
  const bodies = {
    instance: [`/${AdminService.typeName}/UpdateIAMMember`, inOrg],
    organization: [`${management}/UpdateOrgMember`, inOrg],
    project: [`${management}/UpdateProjectMember`, body],
  } as const;
  const [path, request] = bodies[roles[given[0]!].level];
  return { path, body: JSON.stringify(request) };
}

async function replace(caller: GivenUser, given: readonly Role[], userId: string) {
  const headers = { ...bearer(caller.token), "x-service-orgid": world.organizations.own };
  return (await world.http.send({ ...replacement(given, userId), headers })).outcome;
}

/** A role of each level, beside which another is given or taken. */
const beside: { readonly [level in keyof typeof places]: Role } = {
  instance: "IAM_OWNER_VIEWER",
  organization: "ORG_SETTINGS_MANAGER",
  project: "PROJECT_OWNER",
};
const nothing = "9 NOTHING_CHANGED";

describe("who may give and take what", () => {
  test.each(grantors)("%s of %s", async (role, place, outcomes) => {
    const caller = await world.givenCaller(role, place);
    for (const [index, given] of grantable.entries()) {
      const kept = beside[roles[given].level];
      const { userId } = await givenMember([kept]);
      const head = await world.server.head();
      const outcome = outcomes[index]!;
      const expected = outcome === "OK" && given === kept ? nothing : outcome;
      const both = [...new Set([kept, given])];
      expect([given, await replace(caller, both, userId)]).toEqual([given, expected]);
      // What was given may be taken again, and nothing else.
      const again = expected === "OK" ? "OK" : outcome === "OK" ? nothing : outcome;
      expect([given, await replace(caller, [kept], userId)]).toEqual([given, again]);
      const written = expected === "OK" ? Array(2).fill("user.membership.changed") : [];
      expect((await world.server.events(head)).map(({ type }) => type)).toEqual(written);
    }
  });

  test("from oneself: who gives up a role has it no more, and cannot take it back", async () => {
    const owner = await world.givenCaller("ORG_OWNER", "own");
    expect(await replace(owner, ["ORG_OWNER_VIEWER"], owner.userId)).toBe("OK");
    expect(await replace(owner, ["ORG_OWNER"], owner.userId)).toBe("7 PERMISSION_DENIED");
  });

  test("a member of another organization gets more only from who may grant there", async () => {
    const owner = await world.givenCaller("ORG_OWNER", "own");
    const admin = await world.givenCaller("IAM_OWNER", "instance");
    const held: readonly Role[] = ["ORG_OWNER_VIEWER", "ORG_SETTINGS_MANAGER"];
    const { userId } = await givenMember(held, world.organizations.foreign);
    expect(await replace(owner, [...held, "ORG_OWNER"], userId)).toBe("5 USER_NOT_FOUND");
    expect(await replace(owner, ["ORG_OWNER_VIEWER"], userId)).toBe("OK");
    expect(await replace(owner, held, userId)).toBe("5 USER_NOT_FOUND");
    expect(await replace(admin, held, userId)).toBe("OK");
  });
});

describe("what is true at the decision counts", () => {
  test("a caller who loses the role while the call arrives is refused", async () => {
    const caller = await world.givenCaller("ORG_OWNER", "own");
    const admin = await world.givenCaller("IAM_OWNER", "instance");
    const { userId } = await givenMember(["ORG_OWNER_VIEWER"]);
    const held = await world.http.hold({
      ...replacement(["ORG_OWNER"], userId),
      headers: bearer(caller.token),
    });
    expect(await replace(admin, ["ORG_OWNER_VIEWER"], caller.userId)).toBe("OK");
    expect((await held.finish()).outcome).toBe("7 PERMISSION_DENIED");
  });

  test("of equal updates one is written", async () => {
    const admin = await world.givenCaller("IAM_OWNER", "instance");
    const { userId } = await givenMember(["ORG_OWNER_VIEWER"]);
    const head = await world.server.head();
    const answers = await Promise.all([1, 2, 3].map(() => replace(admin, ["ORG_OWNER"], userId)));
    expect(answers.sort()).toEqual([nothing, nothing, "OK"]);
    expect(await world.server.events(head)).toHaveLength(1);
  });
});
