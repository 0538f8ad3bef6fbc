import { toJson } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import type { ListGroupGrantsResponse } from "../../gen/iam/group/v1/grant_pb.js";
import { GroupService } from "../../gen/iam/group/v1/group_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { grantLimits } from "../../src/domain/grant.ts";
import { type Case, row, runCases } from "../harness/cases.ts";
import { givenOrganization, givenProject } from "../harness/server.ts";
import { detailsJson, eventsOf, oneClient } from "./given.ts";
import { givenCustomer, givenRole } from "./grants.ts";
import {
  givenGroup,
  givenGroupGrant,
  givenMember,
  givenReaching,
  noGroup,
  ownerBelow,
} from "./groups.ts";
import { on } from "./orgs.ts";
import { fact, granted } from "./stored.ts";
import { escalation } from "./users.ts";

// What groups are granted of projects.

const { addGroupGrant, listGroupGrants, removeGroupGrant, updateGroupGrant } = GroupService.method;
const { listUserGrants, removeProject, removeProjectGrant } = ManagementService.method;
const { removeProjectRole } = ManagementService.method;
const noGrant = { code: 5, reason: "GROUP_GRANT_NOT_FOUND" };
const { grantsOfGroup: most } = grantLimits;

runCases("AddGroupGrant", [
  row("records the roles by their ids", addGroupGrant, async (world) => {
    const { server, project } = world;
    const { groupId, editor, reader } = await givenMember(world);
    return {
      request: { groupId, projectId: project, roleKeys: ["reader", "editor", "reader"] },
      expected: {
        async ok(message, events) {
          const stream = `grant-${message.grantId}`;
          const payload = { groupId, projectId: project, roleIds: [reader, editor] };
          expect(events.map(fact)).toEqual([
            {
              ...{ stream, version: 1, type: "group.grant.added" },
              ...{ owner: server.admin.organization, actor: server.admin.userId, payload },
            },
          ]);
          const details = detailsJson(await eventsOf(server, stream));
          const { grantId } = message;
          expect(toJson(addGroupGrant.output, message)).toEqual({ grantId, details });
        },
      },
    };
  }),
  row("refuses another grant for the same project", addGroupGrant, async (world) => {
    const { groupId } = await givenReaching(world);
    return {
      request: { groupId, projectId: world.project, roleKeys: ["reader"] },
      expected: { code: 6, reason: "GROUP_GRANT_EXISTS" },
    };
  }),
  row("refuses a key that no role of the project has", addGroupGrant, async (world) => {
    const { groupId } = await givenMember(world);
    return {
      request: { groupId, projectId: world.project, roleKeys: ["Editor"] },
      expected: { code: 5, reason: "PROJECT_ROLE_NOT_FOUND" },
    };
  }),
  row("refuses a project of another organization", addGroupGrant, async (world) => {
    const { server } = world;
    const other = await givenOrganization(server);
    const projectId = await givenProject(server, other);
    await givenRole(server, other, projectId, { key: "editor" });
    const { groupId } = await givenMember(world);
    return {
      request: { groupId, projectId, roleKeys: ["editor"] },
      expected: { code: 5, reason: "PROJECT_NOT_FOUND" },
    };
  }),
  row(
    "gives roles of a project that is granted to the organization",
    addGroupGrant,
    async (world) => {
      const { customer, editor, ...given } = await givenCustomer(world);
      const groupId = await givenGroup(world.server, customer);
      const { projectGrantId } = given;
      const reach = { groupId, projectId: world.project, projectGrantId };
      return {
        request: { ...reach, roleKeys: ["editor"] },
        headers: on(customer),
        expected: {
          ok(_message, events) {
            const payload = { ...reach, roleIds: [editor] };
            expect(events.map(fact)).toMatchObject([{ owner: customer, payload }]);
          },
        },
      };
    },
  ),
  row("gives no other roles of such a project", addGroupGrant, async (world) => {
    const { customer, projectGrantId } = await givenCustomer(world);
    const groupId = await givenGroup(world.server, customer);
    return {
      request: { groupId, projectId: world.project, projectGrantId, roleKeys: ["reader"] },
      headers: on(customer),
      expected: { code: 5, reason: "PROJECT_ROLE_NOT_FOUND" },
    };
  }),
  row("refuses a project grant that is unknown", addGroupGrant, async (world) => {
    const { groupId } = await givenMember(world);
    const request = { groupId, projectId: world.project, roleKeys: ["editor"] };
    return {
      request: { ...request, projectGrantId: world.unique },
      expected: { code: 5, reason: "PROJECT_GRANT_NOT_FOUND" },
    };
  }),
  row("refuses a group in which somebody holds more", addGroupGrant, async (world) => {
    const { groupId, userId } = await givenMember(world);
    return {
      request: { groupId, projectId: world.project, roleKeys: ["editor"] },
      token: await ownerBelow(world, userId),
      expected: escalation,
    };
  }),
  ...(
    [
      ["takes as many grants as a group may have", most - 1, undefined],
      ["refuses one grant more", most, { code: 8, reason: "LIMIT_REACHED" }],
    ] as const
  ).map(([name, count, refused]) =>
    row(
      name,
      addGroupGrant,
      async (world) => {
        const { server, project } = world;
        const { groupId } = await givenMember(world);
        for (let index = 0; index < count; index += 1) {
          const given = { groupId, projectId: `p${index}`, roleIds: [`r${index}`] };
          await givenGroupGrant(server, server.admin.organization, given);
        }
        const ok = (_message: unknown, events: readonly object[]) => expect(events).toHaveLength(1);
        return {
          request: { groupId, projectId: project, roleKeys: ["editor"] },
          expected: refused ?? { ok },
        };
      },
      oneClient,
    ),
  ),
]);

runCases("ListGroupGrants", [
  row("lists what a group has", listGroupGrants, async (world) => {
    const { groupId, grantId: id } = await givenReaching(world);
    const result = [{ id, groupId, projectId: world.project, roleKeys: ["editor"] }];
    return {
      request: { groupId },
      expected: { ok: (message) => expect(message).toMatchObject({ result }) },
    };
  }),
]);

runCases("changes of grants", [
  row("UpdateGroupGrant replaces the roles", updateGroupGrant, async (world) => {
    const { groupId, grantId, reader } = await givenReaching(world);
    return {
      request: { groupId, grantId, roleKeys: ["reader"] },
      expected: {
        async ok(message, events) {
          const payload = { roleIds: [reader] };
          expect(events.map(fact)).toMatchObject([{ type: "group.grant.changed", payload }]);
          expect(message).toMatchObject({ grantId, details: { sequence: events[0]?.position } });
          const answer = await world.call(listGroupGrants, { groupId });
          const { result } = granted<ListGroupGrantsResponse>(answer);
          expect(result).toMatchObject([
            { id: grantId, groupId, projectId: world.project, roleKeys: ["reader"] },
          ]);
        },
      },
    };
  }),
  row("UpdateGroupGrant refuses the same roles", updateGroupGrant, async (world) => {
    const { groupId, grantId } = await givenReaching(world);
    return {
      request: { groupId, grantId, roleKeys: ["editor"] },
      expected: { code: 9, reason: "NOTHING_CHANGED" },
    };
  }),
  row("RemoveGroupGrant removes it", removeGroupGrant, async (world) => {
    const { groupId, grantId } = await givenReaching(world);
    return {
      request: { groupId, grantId },
      expected: {
        async ok(_message, events) {
          expect(events.map(fact)).toMatchObject([{ type: "group.grant.removed" }]);
          const again = await world.call(removeGroupGrant, { groupId, grantId });
          expect(again).toMatchObject({ ok: false, ...noGrant });
        },
      },
    };
  }),
  ...([updateGroupGrant, removeGroupGrant] as const).flatMap((method): readonly Case[] => [
    row(
      `${method.name} refuses a grant of another group`,
      method as typeof updateGroupGrant,
      async (world) => {
        const { grantId } = await givenReaching(world);
        const groupId = await givenGroup(world.server, world.server.admin.organization);
        return { request: { groupId, grantId, roleKeys: ["reader"] }, expected: noGrant };
      },
    ),
    row(
      `${method.name} refuses a group in which somebody holds more`,
      method as typeof updateGroupGrant,
      async (world) => {
        const { groupId, grantId, userId } = await givenReaching(world);
        return {
          request: { groupId, grantId, roleKeys: ["reader"] },
          token: await ownerBelow(world, userId),
          expected: escalation,
        };
      },
    ),
    row(
      `${method.name} refuses an unknown group`,
      method as typeof updateGroupGrant,
      async (world) => {
        const { grantId } = await givenReaching(world);
        return {
          request: { groupId: world.unique, grantId, roleKeys: ["reader"] },
          expected: noGroup,
        };
      },
    ),
  ]),
]);

runCases("grants of groups", [
  row("are no grants of users", listUserGrants, async (world) => {
    const { userId } = await givenReaching(world);
    const query = { case: "userIdQuery", value: { userId } } as const;
    return {
      request: { queries: [{ query }] },
      expected: { ok: ({ result }) => expect(result).toEqual([]) },
    };
  }),
  row("lose a role that is removed, and go with the last", removeProjectRole, async (world) => {
    const { server, project, call } = world;
    const { groupId, editor, reader } = await givenMember(world);
    const payload = { groupId, projectId: project, roleIds: [editor, reader] };
    const grantId = await givenGroupGrant(server, server.admin.organization, payload);
    granted(await call(removeProjectRole, { projectId: project, roleKey: "reader" }));
    const stream = `grant-${grantId}`;
    expect((await eventsOf(server, stream)).at(-1)).toMatchObject({ type: "group.grant.changed" });
    return {
      request: { projectId: project, roleKey: "editor" },
      expected: {
        ok: (_message, events) =>
          expect(events.map(({ type }) => type)).toEqual([
            "project.role.removed",
            "group.grant.removed",
          ]),
      },
    };
  }),
  row("go with the project grant", removeProjectGrant, async (world) => {
    const { server, project: projectId } = world;
    const { customer, projectGrantId, editor } = await givenCustomer(world);
    const groupId = await givenGroup(server, customer);
    const payload = { groupId, projectId, roleIds: [editor], projectGrantId };
    const grantId = await givenGroupGrant(server, customer, payload);
    return {
      request: { projectId, grantId: projectGrantId },
      expected: {
        ok: (_message, events) =>
          expect(events.map(({ type, stream }) => [type, stream])).toEqual([
            ["project.grant.removed", `projectGrant-${projectGrantId}`],
            ["group.grant.removed", `grant-${grantId}`],
          ]),
      },
    };
  }),
  row("go with the project", removeProject, async (world) => {
    const { grantId } = await givenReaching(world);
    return {
      request: { id: world.project },
      expected: {
        ok: (_message, events) =>
          expect(events.map(({ type, stream }) => [type, stream])).toContainEqual([
            "group.grant.removed",
            `grant-${grantId}`,
          ]),
      },
    };
  }),
]);
