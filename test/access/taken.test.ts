import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { type Role, roles } from "../../src/domain/permission.ts";
import { givenUser } from "../harness/server.ts";
import { grantable, grantors, type Holding } from "./grants.ts";
import { bearer } from "./http.ts";
import { type AccessWorld, type GivenUser, startWorld } from "./world.ts";

// One who takes a role must hold all of it where it is taken, and what is true then counts.

const management = `/${ManagementService.typeName}`;
const noMember = "5 MEMBER_NOT_FOUND";

let world: AccessWorld;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(() => world.close());

const levels = { instance: "instance", organization: "own", project: "own-1" } as const;

/** A user that holds these, by default one of `own`. */
function givenHolder(
  holdings: readonly Holding[],
  organization = world.organizations.own,
): Promise<GivenUser> {
  const memberships = holdings.map(([role, place]) => {
    return { scope: world.scopeOf(place), roles: [role] };
  });
  return givenUser(world.server, organization, memberships);
}

/** How the membership at the level of a role is removed, in `own` or on its first project. */
function removal(role: Role, userId: string): { readonly path: string; readonly body: string } {
  const { level } = roles[role];
  const projectId = world.projects["own-1"];
  const bodies = {
    instance: [`/${AdminService.typeName}/RemoveIAMMember`, { userId }],
    organization: [`${management}/RemoveOrgMember`, { userId }],
    project: [`${management}/RemoveProjectMember`, { projectId, userId }],
  } as const;
  const [path, body] = bodies[level];
  return { path, body: JSON.stringify(body) };
}

async function take(caller: GivenUser, role: Role, userId: string): Promise<string> {
  const headers = { ...bearer(caller.token), "x-service-orgid": world.organizations.own };
  return (await world.http.send({ ...removal(role, userId), headers })).outcome;
}

describe("who may take what", () => {
  test.each(grantors)("%s of %s", async (role, place, outcomes) => {
    const caller = await world.givenCaller(role, place);
    for (const [index, taken] of grantable.entries()) {
      const { userId } = await givenHolder([[taken, levels[roles[taken].level]]]);
      const head = await world.server.head();
      const expected = outcomes[index];
      expect([taken, await take(caller, taken, userId)]).toEqual([taken, expected]);
      const written = expected === "OK" ? ["user.membership.removed"] : [];
      expect((await world.server.events(head)).map(({ type }) => type)).toEqual(written);
      // Who may take nothing is not told who is a member.
      const again = expected === "OK" ? noMember : expected;
      expect([taken, await take(caller, taken, userId)]).toEqual([taken, again]);
    }
  });

  test("whatever the user holds elsewhere, and wherever it belongs", async () => {
    const owner = await world.givenCaller("ORG_OWNER", "own");
    const { userId } = await givenHolder(
      [
        ["IAM_OWNER_VIEWER", "instance"],
        ["ORG_OWNER", "foreign"],
        ["ORG_OWNER_VIEWER", "own"],
        ["PROJECT_OWNER", "own-1"],
      ],
      world.organizations.foreign,
    );
    expect(await take(owner, "ORG_OWNER_VIEWER", userId)).toBe("OK");
    expect(await take(owner, "PROJECT_OWNER", userId)).toBe("OK");
    const [stored] = await world.server.store.load([`user-${userId}`]);
    const scopes = [world.scopeOf("instance"), world.scopeOf("foreign")];
    const { memberships } = JSON.parse(stored!.state!) as { memberships: { scope: object }[] };
    expect(memberships.map(({ scope }) => scope)).toEqual(scopes);
  });

  test("of oneself: who takes the own role has none from then on", async () => {
    const owner = await world.givenCaller("ORG_OWNER", "own");
    expect(await take(owner, "ORG_OWNER", owner.userId)).toBe("OK");
    expect(await take(owner, "ORG_OWNER", owner.userId)).toBe("7 PERMISSION_DENIED");
  });
});

describe("what is true at the decision counts", () => {
  test("a caller who loses the role while the call arrives is refused", async () => {
    const caller = await world.givenCaller("ORG_OWNER", "own");
    const admin = await world.givenCaller("IAM_OWNER", "instance");
    const { userId } = await givenHolder([["ORG_OWNER_VIEWER", "own"]]);
    const held = await world.http.hold({
      ...removal("ORG_OWNER_VIEWER", userId),
      headers: bearer(caller.token),
    });
    expect(await take(admin, "ORG_OWNER", caller.userId)).toBe("OK");
    expect((await held.finish()).outcome).toBe("7 PERMISSION_DENIED");
    expect(await take(admin, "ORG_OWNER_VIEWER", userId)).toBe("OK");
  });

  test("of two removals of a membership one is written", async () => {
    const admin = await world.givenCaller("IAM_OWNER", "instance");
    const { userId } = await givenHolder([["PROJECT_OWNER", "own-1"]]);
    const head = await world.server.head();
    const answers = await Promise.all([1, 2, 3].map(() => take(admin, "PROJECT_OWNER", userId)));
    expect(answers.sort()).toEqual([noMember, noMember, "OK"]);
    expect(await world.server.events(head)).toHaveLength(1);
  });
});
