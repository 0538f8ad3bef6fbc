import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { AuthService } from "../../gen/iam/auth/v1/auth_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import {
  type ProjectGrantEvent,
  projectGrant,
  projectGrantLimits,
} from "../../src/domain/project-grant.ts";
import { role } from "../../src/domain/role.ts";
import { readRoles } from "../../src/execute/grants.ts";
import { readOf } from "../../src/execute/owner.ts";
import { givenOrganization, givenProject, givenUser } from "../harness/server.ts";
import { deactivated, record } from "./given.ts";
import { givenProjectGrant, givenRole } from "./given-grants.ts";
import { bearer } from "./http.ts";
import { type AccessWorld, type GivenUser, startWorld } from "./world.ts";

// What an organization may do by a project that it was granted, and with whose people.

let world: AccessWorld;
/** The project of a vendor with two roles, of which `own` was granted the first. */
let shop: Awaited<ReturnType<typeof givenShop>>;

beforeAll(async () => {
  world = await startWorld();
  shop = await givenShop();
});

afterAll(() => world.close());

async function givenShop() {
  const { server } = world;
  const { own, foreign } = world.organizations;
  const vendor = await givenOrganization(server);
  const project = await givenProject(server, vendor);
  const [given, kept] = [
    await givenRole(server, vendor, project),
    await givenRole(server, vendor, project),
  ];
  const ofOwn = await givenProjectGrant(server, vendor, project, own, [given.id]);
  const ofForeign = await givenProjectGrant(server, vendor, project, foreign, [kept.id]);
  return { vendor, project, given, kept, ofOwn, ofForeign };
}

async function call(
  caller: Pick<GivenUser, "token">,
  method: string,
  body: object,
  organization = world.organizations.own,
) {
  const headers = { ...bearer(caller.token), "x-service-orgid": organization };
  const path = `/${ManagementService.typeName}/${method}`;
  return await world.http.send({ path, headers, body: JSON.stringify(body) });
}

/** The organization `own` grants the role of the shop to a user of it. */
async function give(
  caller: Pick<GivenUser, "token">,
  userId: string,
  { key = shop.given.key, by = shop.ofOwn, project: projectId = shop.project } = {},
): Promise<string> {
  const body = { userId, projectId, projectGrantId: by, roleKeys: [key] };
  return (await call(caller, "AddUserGrant", body)).outcome;
}

/** The keys of the roles of the shop that a user holds. */
async function heldBy(userId: string, projectId = shop.project): Promise<readonly string[]> {
  const { store } = world.server;
  const held = await readRoles(store, readOf(store), { userId, projectId });
  return held.flatMap(({ keys }) => keys);
}

const editor = () => world.givenCaller("ORG_USER_PERMISSION_EDITOR", "own");
const nobody = async () => (await world.givenCaller("no role", "nowhere")).userId;

const threat = "a customer that gives more than it was granted";

describe(`${threat}: who grants its people roles of a granted project`, () => {
  test("grants those of the project grant", async () => {
    const userId = await nobody();
    expect(await give(await editor(), userId)).toBe("OK");
    expect(await heldBy(userId)).toEqual([shop.given.key]);
  });

  test("grants no role outside of it, nor one that was not granted it", async () => {
    const [caller, userId] = [await editor(), await nobody()];
    const tries = [
      await give(caller, userId, { key: shop.kept.key }),
      await give(caller, userId, { by: shop.ofForeign, key: shop.kept.key }),
      await give(caller, userId, { by: v7() }),
      await give(caller, userId, { project: world.projects["own-1"] }),
      await give(caller, userId, { project: v7() }),
    ];
    expect(tries).toEqual([
      "5 PROJECT_ROLE_NOT_FOUND",
      ...Array(4).fill("5 PROJECT_GRANT_NOT_FOUND"),
    ]);
    expect(await heldBy(userId)).toEqual([]);
  });

  test("grants nothing to people of others, be it of who granted it", async () => {
    const caller = await editor();
    for (const organization of [world.organizations.foreign, shop.vendor]) {
      const { userId } = await givenUser(world.server, organization);
      expect(await give(caller, userId)).toBe("5 USER_NOT_FOUND");
    }
  });

  test("does not touch the project, its roles and its grants", async () => {
    const owner = await world.givenCaller("ORG_OWNER", "own");
    const projectId = shop.project;
    const inGrant = { projectId, grantId: shop.ofOwn };
    const head = await world.server.head();
    for (const [method, body] of [
      ["UpdateProjectGrant", { ...inGrant, roleKeys: [shop.kept.key] }],
      ["DeactivateProjectGrant", inGrant],
      ["ReactivateProjectGrant", inGrant],
      ["RemoveProjectGrant", inGrant],
      ["ListProjectGrants", { projectId }],
      ["AddProjectGrant", { projectId, grantedOrgId: world.organizations.foreign }],
      ["AddProjectRole", { projectId, roleKey: v7(), displayName: "Role" }],
      ["RemoveProjectRole", { projectId, roleKey: shop.given.key }],
      ["ListProjectRoles", { projectId }],
      ["GetProjectByID", { id: projectId }],
    ] as const) {
      expect([method, (await call(owner, method, body)).outcome]).toEqual([
        method,
        "5 PROJECT_NOT_FOUND",
      ]);
    }
    expect(await world.server.events(head)).toEqual([]);
  });
});

describe("who granted the project", () => {
  const ownerOf = (organization: string) =>
    givenUser(world.server, organization, [
      { scope: { level: "organization", organization }, roles: ["ORG_OWNER"] },
    ]);

  test("sees how many people hold roles by it, and nobody of them", async () => {
    const userId = await nobody();
    expect(await give(await editor(), userId)).toBe("OK");
    const vendor = await ownerOf(shop.vendor);
    const { projectId } = { projectId: shop.project };
    const listed = await call(vendor, "ListProjectGrants", { projectId }, shop.vendor);
    expect(listed.outcome).toBe("OK");
    expect(listed.text).toContain(`"grantedOrgId":"${world.organizations.own}"`);
    expect(listed.text).not.toContain(userId);
    const grants = await call(vendor, "ListUserGrants", {}, shop.vendor);
    expect([grants.outcome, grants.text.includes(userId)]).toEqual(["OK", false]);
    const query = [{ projectIdQuery: { projectId } }];
    const asked = await call(vendor, "ListUserGrants", { queries: query }, shop.vendor);
    expect(asked.text).not.toContain(userId);
  });

  test("grants the people of the customer nothing", async () => {
    const vendor = await ownerOf(shop.vendor);
    const userId = await nobody();
    for (const projectGrantId of ["", shop.ofOwn]) {
      const body = { userId, projectId: shop.project, projectGrantId, roleKeys: [shop.kept.key] };
      for (const [organization, refused] of [
        [shop.vendor, "5 USER_NOT_FOUND"],
        [world.organizations.own, "7 PERMISSION_DENIED"],
      ] as const) {
        expect((await call(vendor, "AddUserGrant", body, organization)).outcome).toBe(refused);
      }
    }
  });
});

test("an organization lists what it was granted, and nothing of others", async () => {
  for (const [place, organization, grant] of [
    ["own", world.organizations.own, shop.ofOwn],
    ["foreign", world.organizations.foreign, shop.ofForeign],
  ] as const) {
    const caller = await world.givenCaller("ORG_OWNER_VIEWER", place);
    const { text } = await call(caller, "ListGrantedProjects", {}, organization);
    const other = grant === shop.ofOwn ? shop.ofForeign : shop.ofOwn;
    expect([text.includes(grant), text.includes(other)]).toEqual([true, false]);
  }
});

test("no vendor fills the searches of a customer: it is granted so many projects", async () => {
  const { server } = world;
  const [vendor, customer] = [await givenOrganization(server), await givenOrganization(server)];
  const owner = await givenUser(server, vendor, [
    { scope: { level: "organization", organization: vendor }, roles: ["ORG_OWNER"] },
  ]);
  const { projectsToOrganization: most } = projectGrantLimits;
  for (let made = 0; made < most - 1; made += 1) {
    await givenProjectGrant(server, vendor, await givenProject(server, vendor), customer);
  }
  const add = async (grantedOrgId: string) => {
    const projectId = await givenProject(server, vendor);
    return (await call(owner, "AddProjectGrant", { projectId, grantedOrgId }, vendor)).outcome;
  };
  const outcomes = await Promise.all([customer, customer, customer].map(add));
  expect(outcomes.sort()).toEqual(["8 LIMIT_REACHED", "8 LIMIT_REACHED", "OK"]);
  expect(await add(await givenOrganization(server))).toBe("OK");
});

describe(`${threat}: what was taken back gives nothing`, () => {
  /** A vendor of its own, whose project a user of `own` holds the role of. */
  async function givenHolder() {
    const its = await givenShop();
    const userId = await nobody();
    const { ofOwn: by, project } = its;
    expect(await give(await editor(), userId, { by, project, key: its.given.key })).toBe("OK");
    return { ...its, userId, held: () => heldBy(userId, project) };
  }

  test("a project grant that is inactive", async () => {
    const { ofOwn: id, held, given, project } = await givenHolder();
    await record(world.server, { noun: projectGrant, id }, [
      deactivated("project.grant.deactivated"),
    ]);
    expect(await held()).toEqual([]);
    // Who is granted it meanwhile holds nothing, either.
    const userId = await nobody();
    expect(await give(await editor(), userId, { by: id, project, key: given.key })).toBe("OK");
    expect(await heldBy(userId, project)).toEqual([]);
  });

  test("a project grant that was made again", async () => {
    const { vendor, ofOwn: id, held, given, project } = await givenHolder();
    await record(world.server, { noun: projectGrant, id }, [
      { type: "project.grant.removed", payload: {} },
    ]);
    expect(await held()).toEqual([]);
    const { own } = world.organizations;
    await givenProjectGrant(world.server, vendor, project, own, [given.id]);
    expect(await held()).toEqual([]);
  });

  test("a role that left the project grant, or whose key came again", async () => {
    const { vendor, ofOwn: id, held, given, kept, project } = await givenHolder();
    await record(world.server, { noun: projectGrant, id }, [
      { type: "project.grant.changed", payload: { roleIds: [kept.id] } },
    ]);
    expect(await held()).toEqual([]);
    await record(world.server, { noun: role, id: given.id }, [
      { type: "project.role.removed", payload: {} },
    ]);
    const again = { projectId: project, key: given.key, displayName: "Role", group: "" };
    const anew = { noun: role, id: v7(), owner: vendor };
    const roleId = await record(world.server, anew, [
      { type: "project.role.added", payload: again },
    ]);
    await record(world.server, { noun: projectGrant, id }, [
      { type: "project.grant.changed", payload: { roleIds: [roleId] } },
    ]);
    expect(await held()).toEqual([]);
  });

  test("people who ask for themselves are told what is left", async () => {
    const { ofOwn: id, given, kept, project } = await givenShop();
    const { own } = world.organizations;
    const holder = await givenUser(world.server, own);
    expect(await give(await editor(), holder.userId, { by: id, project, key: given.key })).toBe(
      "OK",
    );
    const told = async () => {
      const path = `/${AuthService.typeName}/ListMyUserGrants`;
      const { text } = await world.http.send({ path, headers: bearer(holder.token), body: "{}" });
      return JSON.parse(text).result as readonly object[];
    };
    const [roles, none] = [
      { roles: [given.key], roleKeys: [given.key] },
      { roles: [], roleKeys: [] },
    ];
    expect(await told()).toMatchObject([roles]);
    const take = (event: ProjectGrantEvent) =>
      record(world.server, { noun: projectGrant, id }, [event]);
    await take(deactivated("project.grant.deactivated"));
    expect(await told()).toMatchObject([none]);
    await take({ type: "project.grant.reactivated", payload: {} });
    expect(await told()).toMatchObject([roles]);
    await take({ type: "project.grant.changed", payload: { roleIds: [kept.id] } });
    expect(await told()).toMatchObject([none]);
  });
});
