import { type DescMethodUnary, toJson } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { ProjectGrantState } from "../../gen/iam/project/v1/project_grant_pb.js";
import { projectGrantLimits } from "../../src/domain/project-grant.ts";
import { row, runCases } from "../harness/cases.ts";
import { givenOrganization, givenProject } from "../harness/server.ts";
import { detailsJson, eventsOf, oneClient } from "./given.ts";
import { givenCustomer, givenRole, givenRoles, grantedTo } from "./grants.ts";
import { recordedOrg } from "./orgs.ts";
import { fact } from "./stored.ts";

// Projects that are granted to other organizations.

const { addProjectGrant, deactivateProjectGrant, reactivateProjectGrant } =
  ManagementService.method;
const { removeProjectGrant, updateProjectGrant } = ManagementService.method;
const noGrant = { code: 5, reason: "PROJECT_GRANT_NOT_FOUND" };
const noOrganization = { code: 5, reason: "ORGANIZATION_NOT_FOUND" };
const noRole = { code: 5, reason: "PROJECT_ROLE_NOT_FOUND" };
const unchanged = { code: 9, reason: "NOTHING_CHANGED" };
const inactive = { type: "project.grant.deactivated", payload: {} } as const;
const { rolesOfProjectGrant } = projectGrantLimits;

runCases("AddProjectGrant", [
  row(
    "records the roles by their ids, and answers where they stand",
    addProjectGrant,
    async (world) => {
      const { server, project } = world;
      const { editor, reader } = await givenRoles(world);
      const grantedOrgId = await givenOrganization(server);
      return {
        request: { projectId: project, grantedOrgId, roleKeys: ["reader", "editor", "reader"] },
        expected: {
          async ok(message, events) {
            const stream = `projectGrant-${message.grantId}`;
            expect(events.map(fact)).toEqual([
              {
                ...{ stream, version: 1, type: "project.grant.added" },
                ...{ owner: server.admin.organization, actor: server.admin.userId },
                payload: { projectId: project, grantedOrgId, roleIds: [reader, editor] },
              },
            ]);
            const details = detailsJson(await eventsOf(server, stream));
            expect(toJson(addProjectGrant.output, message)).toEqual({
              ...{ grantId: message.grantId, details },
            });
          },
        },
      };
    },
  ),
  row("grants a project without roles", addProjectGrant, async (world) => {
    const grantedOrgId = await givenOrganization(world.server);
    return {
      request: { projectId: world.project, grantedOrgId },
      expected: {
        ok: async () =>
          expect(await grantedTo(world, grantedOrgId)).toMatchObject([{ grantedRoleKeys: [] }]),
      },
    };
  }),
  row("refuses another grant to the same organization", addProjectGrant, async (world) => {
    const { customer } = await givenCustomer(world);
    return {
      request: { projectId: world.project, grantedOrgId: customer, roleKeys: ["reader"] },
      expected: { code: 6, reason: "PROJECT_GRANT_EXISTS" },
    };
  }),
  row("refuses an organization that is unknown", addProjectGrant, ({ project, unique }) => ({
    request: { projectId: project, grantedOrgId: unique },
    expected: noOrganization,
  })),
  row("refuses one that was removed in the same words", addProjectGrant, async (world) => {
    const grantedOrgId = await givenOrganization(world.server);
    await recordedOrg(world.server, grantedOrgId, { type: "org.removed", payload: {} });
    return { request: { projectId: world.project, grantedOrgId }, expected: noOrganization };
  }),
  row("refuses its own organization", addProjectGrant, ({ server, project }) => ({
    request: { projectId: project, grantedOrgId: server.admin.organization },
    expected: noOrganization,
  })),
  row("refuses a key that no role of the project has", addProjectGrant, async (world) => {
    const { server, project, unique } = world;
    const { organization } = server.admin;
    const elsewhere = await givenProject(server, organization);
    await givenRole(server, organization, elsewhere, { key: unique });
    const grantedOrgId = await givenOrganization(server);
    return { request: { projectId: project, grantedOrgId, roleKeys: [unique] }, expected: noRole };
  }),
  ...(
    [
      ["takes as many roles as a project grant may have", rolesOfProjectGrant, undefined],
      [
        "refuses one role more",
        rolesOfProjectGrant + 1,
        { code: 3, reason: "INVALID_FIELDS", fields: ["role_keys"] },
      ],
    ] as const
  ).map(([name, count, refused]) =>
    row(
      name,
      addProjectGrant,
      async ({ server, project }) => {
        const roleKeys = Array.from({ length: count }, (_, index) => `r${index}`);
        for (const key of roleKeys)
          await givenRole(server, server.admin.organization, project, { key });
        const grantedOrgId = await givenOrganization(server);
        const ok = (_message: unknown, events: readonly object[]) => expect(events).toHaveLength(1);
        const request = { projectId: project, grantedOrgId, roleKeys };
        return { request, expected: refused ?? { ok } };
      },
      oneClient,
    ),
  ),
]);

runCases("changes of project grants", [
  row("UpdateProjectGrant replaces the roles", updateProjectGrant, async (world) => {
    const { customer, projectGrantId, reader } = await givenCustomer(world);
    return {
      request: { projectId: world.project, grantId: projectGrantId, roleKeys: ["reader"] },
      expected: {
        async ok({ details }, events) {
          const payload = { roleIds: [reader] };
          expect(events.map(fact)).toMatchObject([{ type: "project.grant.changed", payload }]);
          expect(details?.sequence).toBe(events[0]?.position);
          expect(await grantedTo(world, customer)).toMatchObject([{ grantedRoleKeys: ["reader"] }]);
        },
      },
    };
  }),
  row("UpdateProjectGrant refuses the same roles", updateProjectGrant, async (world) => ({
    request: {
      ...{ grantId: (await givenCustomer(world)).projectGrantId, projectId: world.project },
      roleKeys: ["editor", "editor"],
    },
    expected: unchanged,
  })),
  row("UpdateProjectGrant refuses a key that no role has", updateProjectGrant, async (world) => ({
    request: {
      ...{ grantId: (await givenCustomer(world)).projectGrantId, projectId: world.project },
      roleKeys: ["Editor"],
    },
    expected: noRole,
  })),
  row("DeactivateProjectGrant takes it out of use", deactivateProjectGrant, async (world) => {
    const { customer, projectGrantId } = await givenCustomer(world);
    return {
      request: { projectId: world.project, grantId: projectGrantId },
      expected: {
        async ok(_message, events) {
          expect(events.map(({ type }) => type)).toEqual(["project.grant.deactivated"]);
          const { INACTIVE: state } = ProjectGrantState;
          expect(await grantedTo(world, customer)).toMatchObject([{ state }]);
        },
      },
    };
  }),
  row("DeactivateProjectGrant refuses one that is", deactivateProjectGrant, async (world) => ({
    request: {
      ...{ grantId: (await givenCustomer(world, inactive)).projectGrantId },
      projectId: world.project,
    },
    expected: unchanged,
  })),
  row("ReactivateProjectGrant brings it back", reactivateProjectGrant, async (world) => {
    const { customer, projectGrantId } = await givenCustomer(world, inactive);
    return {
      request: { projectId: world.project, grantId: projectGrantId },
      expected: {
        async ok(_message, events) {
          expect(events.map(({ type }) => type)).toEqual(["project.grant.reactivated"]);
          const { ACTIVE: state } = ProjectGrantState;
          expect(await grantedTo(world, customer)).toMatchObject([{ state }]);
        },
      },
    };
  }),
  row(
    "ReactivateProjectGrant refuses one that is active",
    reactivateProjectGrant,
    async (world) => ({
      request: {
        ...{ grantId: (await givenCustomer(world)).projectGrantId, projectId: world.project },
      },
      expected: unchanged,
    }),
  ),
  ...[updateProjectGrant, deactivateProjectGrant, reactivateProjectGrant, removeProjectGrant].map(
    (method) =>
      row(
        `${method.name} refuses a grant of another project`,
        method as DescMethodUnary,
        async (world) => {
          const { projectGrantId: grantId } = await givenCustomer(world);
          const { server } = world;
          const projectId = await givenProject(server, server.admin.organization);
          return { request: { projectId, grantId }, expected: noGrant };
        },
      ),
  ),
]);
