import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { grantsBy } from "../../src/domain/grant.ts";
import { dependantLimits } from "../../src/execute/dependants.ts";
import { row, runCases } from "../harness/cases.ts";
import { givenOrganization, givenProject } from "../harness/server.ts";
import { oneClient } from "./given.ts";
import {
  givenCustomer,
  givenGrant,
  givenProjectGrant,
  givenToCustomer,
  grantedTo,
} from "./grants.ts";
import { clear, on, recordedOrg } from "./orgs.ts";
import { granted } from "./stored.ts";

// What ends with a project grant, and by what that ends.

const { addProjectRole, removeOrg, removeProject, removeProjectGrant, removeProjectRole } =
  ManagementService.method;
const noGrant = { code: 5, reason: "PROJECT_GRANT_NOT_FOUND" };
const { atOnce } = dependantLimits;

runCases("what ends with a project grant", [
  row("RemoveProjectGrant takes grants of users along", removeProjectGrant, async (world) => {
    const given = await givenCustomer(world);
    const grantId = await givenToCustomer(world, given);
    const request = { projectId: world.project, grantId: given.projectGrantId };
    return {
      request,
      expected: {
        async ok({ details }, events) {
          expect(events.map(({ type, stream, owner }) => [type, stream, owner])).toEqual([
            [
              "project.grant.removed",
              `projectGrant-${given.projectGrantId}`,
              world.server.admin.organization,
            ],
            ["user.grant.removed", `grant-${grantId}`, given.customer],
          ]);
          expect(details?.sequence).toBe(events[0]?.position);
          expect(await world.call(removeProjectGrant, request)).toMatchObject(noGrant);
        },
      },
    };
  }),
  row("also of an organization that is out of use", removeProjectGrant, async (world) => {
    const given = await givenCustomer(world);
    await givenToCustomer(world, given);
    await recordedOrg(world.server, given.customer, { type: "org.deactivated", payload: {} });
    return {
      request: { projectId: world.project, grantId: given.projectGrantId },
      expected: { ok: (_message, events) => expect(events).toHaveLength(2) },
    };
  }),
  row(
    `${atOnce} of them at once, and the rest later`,
    removeProjectGrant,
    async (world) => {
      const { server, project: projectId } = world;
      const given = await givenCustomer(world);
      const { customer, projectGrantId, editor } = given;
      // One after the other, which any store takes however busy it is.
      for (let index = 0; index <= atOnce; index += 1) {
        const userId = `${world.unique} ${index}`;
        const grant = { userId, projectId, roleIds: [editor], projectGrantId };
        await givenGrant(server, customer, grant);
      }
      return {
        request: { projectId, grantId: projectGrantId },
        expected: {
          async ok(_message, events) {
            expect(events).toHaveLength(atOnce + 1);
            const left = async () => {
              return (await server.store.holders(grantsBy(projectGrantId), 1)).total;
            };
            expect(await left()).toBe(1);
            await clear(server);
            expect(await left()).toBe(0);
          },
        },
      };
    },
    oneClient,
  ),
  row("RemoveProjectRole takes the role from it", removeProjectRole, async (world) => {
    const given = await givenCustomer(world);
    await givenToCustomer(world, given);
    return {
      request: { projectId: world.project, roleKey: "editor" },
      expected: {
        async ok(_message, events) {
          expect(events.map(({ type }) => type).sort()).toEqual([
            "project.grant.changed",
            "project.role.removed",
            "user.grant.removed",
          ]);
          const again = { projectId: world.project, roleKey: "editor", displayName: "Editor" };
          granted(await world.call(addProjectRole, again));
          expect(await grantedTo(world, given.customer)).toMatchObject([{ grantedRoleKeys: [] }]);
        },
      },
    };
  }),
  row("RemoveProject takes it along", removeProject, async (world) => {
    const given = await givenCustomer(world);
    await givenToCustomer(world, given);
    return {
      request: { id: world.project },
      expected: {
        async ok(_message, events) {
          expect(events.map(({ type }) => type).sort()).toEqual([
            ...["project.grant.removed", "project.removed"],
            ...["project.role.removed", "project.role.removed", "user.grant.removed"],
          ]);
          expect(await grantedTo(world, given.customer)).toEqual([]);
        },
      },
    };
  }),
  row("RemoveOrg of a customer takes it along", removeOrg, async (world) => {
    const given = await givenCustomer(world);
    const grantId = await givenToCustomer(world, given);
    return {
      request: {},
      headers: on(given.customer),
      expected: {
        ok: (_message, events) =>
          expect(events.map(({ type, stream }) => [type, stream])).toEqual([
            ["org.removed", `org-${given.customer}`],
            ["user.grant.removed", `grant-${grantId}`],
            ["project.grant.removed", `projectGrant-${given.projectGrantId}`],
            ["user.removed", `user-${given.userId}`],
          ]),
      },
    };
  }),
  row("RemoveOrg of the owner takes it along", removeOrg, async (world) => {
    const { server } = world;
    const owner = await givenOrganization(server);
    const projectId = await givenProject(server, owner);
    const customer = await givenOrganization(server);
    const lent = { projectId, grantedOrgId: customer, roleIds: [] };
    const projectGrantId = await givenProjectGrant(server, owner, lent);
    const rests = { userId: world.unique, projectId, roleIds: ["r"], projectGrantId };
    const grantId = await givenGrant(server, customer, rests);
    return {
      request: {},
      headers: on(owner),
      expected: {
        ok: (_message, events) =>
          expect(events.map(({ type, stream }) => [type, stream])).toEqual([
            ["org.removed", `org-${owner}`],
            ["user.grant.removed", `grant-${grantId}`],
            ["project.grant.removed", `projectGrant-${projectGrantId}`],
            ["project.removed", `project-${projectId}`],
          ]),
      },
    };
  }),
]);
