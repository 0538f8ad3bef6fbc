import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { ListProjectRolesResponse } from "../../gen/iam/management/v1/project_role_pb.js";
import type { GetUserGrantByIDResponse } from "../../gen/iam/management/v1/user_grant_pb.js";
import { grantsWith } from "../../src/domain/grant.ts";
import { roleLimits } from "../../src/domain/role.ts";
import { dependantLimits } from "../../src/execute/dependants.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { detailsJson, eventsOf, oneClient } from "./given.ts";
import { givenGrant, givenRole } from "./grants.ts";
import { clear } from "./orgs.ts";
import { fact, granted } from "./stored.ts";
import { givenHuman } from "./users.ts";

// The roles of projects.

const { addProjectRole, bulkAddProjectRoles, getUserGrantByID, listProjectRoles } =
  ManagementService.method;
const { removeProject, removeProjectRole, updateProjectRole } = ManagementService.method;
const noRole = { code: 5, reason: "PROJECT_ROLE_NOT_FOUND" };
const taken = { code: 6, reason: "PROJECT_ROLE_EXISTS" };
const { rolesOfProject: most } = roleLimits;
const { atOnce } = dependantLimits;

const given = ({ server, project }: World, key: string) =>
  givenRole(server, server.admin.organization, project, { key });

/** The keys of a project, the oldest first. */
async function keysOf({ call, project }: World): Promise<readonly string[]> {
  const answer = await call(listProjectRoles, { projectId: project, query: { asc: true } });
  return granted<ListProjectRolesResponse>(answer).result.map(({ key }) => key);
}

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ key: `k${index}`, displayName: "Role" }));

runCases("AddProjectRole and BulkAddProjectRoles", [
  row(
    "record the role, and answer where it stands",
    addProjectRole,
    async ({ server, project }) => ({
      request: { projectId: project, roleKey: "editor", displayName: "Editor", group: "staff" },
      expected: {
        ok({ details }, events) {
          const [stream] = events.map((event) => event.stream);
          expect(events.map(fact)).toEqual([
            {
              ...{ stream, version: 1, type: "project.role.added" },
              ...{ owner: server.admin.organization, actor: server.admin.userId },
              payload: { projectId: project, key: "editor", displayName: "Editor", group: "staff" },
            },
          ]);
          expect(stream).toMatch(/^role-/);
          expect(details?.sequence).toBe(events[0]?.position);
        },
      },
    }),
  ),
  row("refuse a key that another role has", addProjectRole, async (world) => {
    await given(world, "editor");
    return {
      request: { projectId: world.project, roleKey: "editor", displayName: "Editor" },
      expected: taken,
    };
  }),
  row("keep keys apart by their case, and of projects", addProjectRole, async (world) => {
    await given(world, "editor");
    return {
      request: { projectId: world.project, roleKey: "Editor", displayName: "Editor" },
      expected: { ok: async () => expect(await keysOf(world)).toEqual(["editor", "Editor"]) },
    };
  }),
  row("refuse keys that are names of paths", addProjectRole, ({ project }) => ({
    request: { projectId: project, roleKey: "_search", displayName: " " },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["role_key", "display_name"] },
  })),
  row("refuse a key that leads a path elsewhere", addProjectRole, ({ project }) => ({
    request: { projectId: project, roleKey: "../../users/1", displayName: "Editor" },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["role_key"] },
  })),
  row("record several roles in one commit", bulkAddProjectRoles, async (world) => ({
    request: { projectId: world.project, roles: numbered(3) },
    expected: {
      async ok({ details }, events) {
        expect(events.map(({ type }) => type)).toEqual(Array(3).fill("project.role.added"));
        expect(details?.sequence).toBe(events[0]?.position);
        expect(await keysOf(world)).toEqual(["k0", "k1", "k2"]);
      },
    },
  })),
  row("record none where one is taken", bulkAddProjectRoles, async (world) => {
    await given(world, "k1");
    return { request: { projectId: world.project, roles: numbered(3) }, expected: taken };
  }),
  row("refuse a key that is given twice", bulkAddProjectRoles, ({ project }) => ({
    request: { projectId: project, roles: [...numbered(2), ...numbered(1)] },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["roles[2].key"] },
  })),
  row(
    "take as many roles as a project may have",
    bulkAddProjectRoles,
    async (world) => {
      for (const { key } of numbered(most - 1)) await given(world, `x${key}`);
      return {
        request: { projectId: world.project, roles: numbered(1) },
        expected: { ok: (_answer, events) => expect(events).toHaveLength(1) },
      };
    },
    oneClient,
  ),
  row(
    "refuse one role more",
    bulkAddProjectRoles,
    async (world) => {
      for (const { key } of numbered(most - 1)) await given(world, `x${key}`);
      return {
        request: { projectId: world.project, roles: numbered(2) },
        expected: { code: 8, reason: "LIMIT_REACHED" },
      };
    },
    oneClient,
  ),
]);

runCases("UpdateProjectRole", [
  row("replaces how it is shown, and leaves its key", updateProjectRole, async (world) => {
    const { server, project } = world;
    // A key that paths have to escape.
    const key = "a/b?c#d%e_ü 😀";
    const id = await given(world, key);
    return {
      request: { projectId: project, roleKey: key, displayName: "Author", group: "g" },
      expected: {
        async ok({ details }, events) {
          expect(events.map(fact)).toMatchObject([
            { type: "project.role.changed", payload: { displayName: "Author", group: "g" } },
          ]);
          const all = await eventsOf(server, `role-${id}`);
          expect(String(details?.sequence)).toBe(detailsJson(all).sequence);
          const listed = await world.call(listProjectRoles, { projectId: project });
          const { result } = granted<ListProjectRolesResponse>(listed);
          expect(result).toMatchObject([{ key, displayName: "Author", group: "g" }]);
        },
      },
    };
  }),
  row("is refused the second time", updateProjectRole, async (world) => {
    await given(world, "editor");
    return {
      request: { projectId: world.project, roleKey: "editor", displayName: "Editor" },
      expected: { code: 9, reason: "NOTHING_CHANGED" },
    };
  }),
  row("refuses a key that no role has", updateProjectRole, async (world) => {
    await given(world, "editor");
    return {
      request: { projectId: world.project, roleKey: "Editor", displayName: "Editor" },
      expected: noRole,
    };
  }),
]);

runCases("RemoveProjectRole", [
  row("takes the role from its grants, in the same commit", removeProjectRole, async (world) => {
    const { server, project, call } = world;
    const { organization } = server.admin;
    const [one, other] = [await given(world, "one"), await given(world, "other")];
    const userId = await givenHuman(server, organization);
    const alone = await givenHuman(server, organization);
    const both = { projectId: project, userId, roleIds: [one, other] };
    const grantId = await givenGrant(server, organization, both);
    await givenGrant(server, organization, { ...both, userId: alone, roleIds: [one] });
    return {
      request: { projectId: project, roleKey: "one" },
      expected: {
        async ok({ details }, events) {
          expect(events.map(({ type }) => type).sort()).toEqual([
            "project.role.removed",
            "user.grant.changed",
            "user.grant.removed",
          ]);
          expect(details?.sequence).toBe(events[0]?.position);
          const answer = await call(getUserGrantByID, { userId, grantId });
          const { userGrant } = granted<GetUserGrantByIDResponse>(answer);
          expect(userGrant?.roleKeys).toEqual(["other"]);
          expect(await keysOf(world)).toEqual(["other"]);
        },
      },
    };
  }),
  row("frees the key, for another role", removeProjectRole, async (world) => {
    const { server, project, call } = world;
    const { organization } = server.admin;
    const [one, other] = [await given(world, "one"), await given(world, "other")];
    const userId = await givenHuman(server, organization);
    const roleIds = [one, other];
    const grantId = await givenGrant(server, organization, { projectId: project, userId, roleIds });
    return {
      request: { projectId: project, roleKey: "one" },
      expected: {
        async ok() {
          const again = { projectId: project, roleKey: "one", displayName: "One" };
          granted(await call(addProjectRole, again));
          const answer = await call(getUserGrantByID, { userId, grantId });
          const { userGrant } = granted<GetUserGrantByIDResponse>(answer);
          expect(userGrant?.roleKeys).toEqual(["other"]);
        },
      },
    };
  }),
  row(
    `takes it from ${atOnce} grants at once, and from the rest later`,
    removeProjectRole,
    async (world) => {
      const { server, project, call } = world;
      const { organization } = server.admin;
      const roleIds = [await given(world, "one")];
      const people = Array.from({ length: atOnce + 1 }, (_, index) => `${world.unique} ${index}`);
      await Promise.all(
        people.map((userId) =>
          givenGrant(server, organization, { projectId: project, userId, roleIds }),
        ),
      );
      return {
        request: { projectId: project, roleKey: "one" },
        expected: {
          async ok(_answer, events) {
            expect(events).toHaveLength(atOnce + 1);
            const left = async () => (await server.store.holders(grantsWith(roleIds[0]!), 1)).total;
            expect(await left()).toBe(1);
            const again = { projectId: project, roleKey: "one" };
            expect(await call(removeProjectRole, again)).toMatchObject(noRole);
            await clear(server);
            expect(await left()).toBe(0);
          },
        },
      };
    },
    oneClient,
  ),
  row("refuses a role that is removed", removeProjectRole, async (world) => {
    await given(world, "one");
    const request = { projectId: world.project, roleKey: "one" };
    granted(await world.call(removeProjectRole, request));
    return { request, expected: noRole };
  }),
]);

runCases("RemoveProject", [
  row("ends roles and grants in the same commit", removeProject, async (world) => {
    const { server, project, call } = world;
    const { organization } = server.admin;
    const roleIds = [await given(world, "one")];
    const userId = await givenHuman(server, organization);
    const grantId = await givenGrant(server, organization, { projectId: project, userId, roleIds });
    return {
      request: { id: project },
      expected: {
        async ok(_answer, events) {
          expect(events.map(({ type }) => type).sort()).toEqual([
            "project.removed",
            "project.role.removed",
            "user.grant.removed",
          ]);
          const gone = { ok: false, reason: "USER_GRANT_NOT_FOUND" };
          expect(await call(getUserGrantByID, { userId, grantId })).toMatchObject(gone);
        },
      },
    };
  }),
]);
