import { type DescMethodUnary, toJson } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { GetUserGrantByIDResponse } from "../../gen/iam/management/v1/user_grant_pb.js";
import { UserGrantState } from "../../gen/iam/user/v1/grant_pb.js";
import { grantLimits } from "../../src/domain/grant.ts";
import { type Case, row, runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenProject, givenUser } from "../harness/server.ts";
import { detailsJson, eventsOf, oneClient } from "./given.ts";
import { editorBelow, givenGrant, givenGranted, givenRole, givenRoles } from "./grants.ts";
import { fact, granted } from "./stored.ts";
import { escalation, givenHuman, notFound } from "./users.ts";

// What users are granted of projects.

const { addUserGrant, deactivateUserGrant, getUserGrantByID } = ManagementService.method;
const { reactivateUserGrant, removeUserGrant, updateUserGrant } = ManagementService.method;
const noGrant = { code: 5, reason: "USER_GRANT_NOT_FOUND" };
const noRole = { code: 5, reason: "PROJECT_ROLE_NOT_FOUND" };
const unchanged = { code: 9, reason: "NOTHING_CHANGED" };
const { grantsOfUser, rolesOfGrant } = grantLimits;

async function shown({ call }: World, userId: string, grantId: string) {
  const answer = await call(getUserGrantByID, { userId, grantId });
  return granted<GetUserGrantByIDResponse>(answer).userGrant;
}

runCases("AddUserGrant", [
  row(
    "records the roles by their ids, and answers where they stand",
    addUserGrant,
    async (world) => {
      const { server, project } = world;
      const { userId, editor, reader } = await givenRoles(world);
      return {
        request: { userId, projectId: project, roleKeys: ["reader", "editor", "reader"] },
        expected: {
          async ok(message, events) {
            const stream = `grant-${message.userGrantId}`;
            const roleIds = [reader, editor];
            expect(events.map(fact)).toEqual([
              {
                ...{ stream, version: 1, type: "user.grant.added" },
                ...{ owner: server.admin.organization, actor: server.admin.userId },
                payload: { userId, projectId: project, roleIds, userType: "HUMAN" },
              },
            ]);
            const details = detailsJson(await eventsOf(server, stream));
            expect(toJson(addUserGrant.output, message)).toEqual({
              ...{ userGrantId: message.userGrantId, details },
            });
          },
        },
      };
    },
  ),
  row("records what a machine is granted", addUserGrant, async (world) => {
    const { server, project } = world;
    await givenRoles(world);
    const { userId } = await givenUser(server, server.admin.organization);
    return {
      request: { userId, projectId: project, roleKeys: ["editor"] },
      expected: {
        ok: (_message, events) =>
          expect(events.map(fact)).toMatchObject([{ payload: { userType: "MACHINE" } }]),
      },
    };
  }),
  row("refuses another grant for the same project", addUserGrant, async (world) => {
    const { userId } = await givenGranted(world);
    return {
      request: { userId, projectId: world.project, roleKeys: ["reader"] },
      expected: { code: 6, reason: "USER_GRANT_EXISTS" },
    };
  }),
  row("takes one again that was removed", addUserGrant, async (world) => {
    const { userId, grantId } = await givenGranted(world);
    granted(await world.call(removeUserGrant, { userId, grantId }));
    return {
      request: { userId, projectId: world.project, roleKeys: ["editor"] },
      expected: { ok: ({ userGrantId }) => expect(userGrantId).not.toBe(grantId) },
    };
  }),
  row("refuses a key that no role of the project has", addUserGrant, async (world) => {
    const { server, project, unique } = world;
    const { organization } = server.admin;
    await givenRole(server, organization, await givenProject(server, organization), {
      key: unique,
    });
    const { userId } = await givenRoles(world);
    return {
      request: { userId, projectId: project, roleKeys: ["editor", unique] },
      expected: noRole,
    };
  }),
  row("refuses a project of another organization", addUserGrant, async (world) => {
    const { server } = world;
    const other = await givenOrganization(server);
    const projectId = await givenProject(server, other);
    await givenRole(server, other, projectId, { key: "editor" });
    const { userId } = await givenRoles(world);
    return {
      request: { userId, projectId, roleKeys: ["editor"] },
      expected: { code: 5, reason: "PROJECT_NOT_FOUND" },
    };
  }),
  row("refuses a person of another organization", addUserGrant, async (world) => {
    const { server, project } = world;
    await givenRoles(world);
    const userId = await givenHuman(server, await givenOrganization(server));
    return { request: { userId, projectId: project, roleKeys: ["editor"] }, expected: notFound };
  }),
  ...(
    [
      ["takes as many roles as a grant may have", rolesOfGrant, undefined],
      [
        "refuses one role more",
        rolesOfGrant + 1,
        { code: 3, reason: "INVALID_FIELDS", fields: ["role_keys"] },
      ],
    ] as const
  ).map(([name, count, refused]) =>
    row(
      name,
      addUserGrant,
      async (world) => {
        const { server, project } = world;
        const { userId } = await givenRoles(world);
        const roleKeys = Array.from({ length: count }, (_, index) => `r${index}`);
        for (const key of roleKeys)
          await givenRole(server, server.admin.organization, project, { key });
        const ok = (_message: unknown, events: readonly object[]) => expect(events).toHaveLength(1);
        return { request: { userId, projectId: project, roleKeys }, expected: refused ?? { ok } };
      },
      oneClient,
    ),
  ),
  ...(
    [
      ["takes as many grants as a user may have", grantsOfUser - 1, undefined],
      ["refuses one grant more", grantsOfUser, { code: 8, reason: "LIMIT_REACHED" }],
    ] as const
  ).map(([name, count, refused]) =>
    row(
      name,
      addUserGrant,
      async (world) => {
        const { server, project } = world;
        const { userId } = await givenRoles(world);
        for (let index = 0; index < count; index += 1) {
          const given = { userId, projectId: `p${index}`, roleIds: [`r${index}`] };
          await givenGrant(server, server.admin.organization, given);
        }
        const ok = (_message: unknown, events: readonly object[]) => expect(events).toHaveLength(1);
        return {
          request: { userId, projectId: project, roleKeys: ["editor"] },
          expected: refused ?? { ok },
        };
      },
      oneClient,
    ),
  ),
]);

runCases("changes of grants", [
  row("UpdateUserGrant replaces the roles", updateUserGrant, async (world) => {
    const { userId, grantId, reader } = await givenGranted(world);
    return {
      request: { userId, grantId, roleKeys: ["reader"] },
      expected: {
        async ok({ details }, events) {
          const payload = { roleIds: [reader] };
          expect(events.map(fact)).toMatchObject([{ type: "user.grant.changed", payload }]);
          expect(details?.sequence).toBe(events[0]?.position);
          expect((await shown(world, userId, grantId))?.roleKeys).toEqual(["reader"]);
        },
      },
    };
  }),
  row("UpdateUserGrant refuses the same roles", updateUserGrant, async (world) => {
    const { userId, grantId } = await givenGranted(world);
    return { request: { userId, grantId, roleKeys: ["editor", "editor"] }, expected: unchanged };
  }),
  row("UpdateUserGrant refuses a key that no role has", updateUserGrant, async (world) => {
    const { userId, grantId } = await givenGranted(world);
    return { request: { userId, grantId, roleKeys: ["Editor"] }, expected: noRole };
  }),
  row(
    "DeactivateUserGrant keeps the roles, which are not held",
    deactivateUserGrant,
    async (world) => {
      const { userId, grantId } = await givenGranted(world);
      return {
        request: { userId, grantId },
        expected: {
          async ok(_message, events) {
            expect(events.map(fact)).toMatchObject([{ type: "user.grant.deactivated" }]);
            expect(await shown(world, userId, grantId)).toMatchObject({
              ...{ roleKeys: ["editor"], state: UserGrantState.INACTIVE },
            });
          },
        },
      };
    },
  ),
  row("DeactivateUserGrant refuses one that is inactive", deactivateUserGrant, async (world) => {
    const { userId, grantId } = await givenGranted(world, true);
    return { request: { userId, grantId }, expected: unchanged };
  }),
  row("ReactivateUserGrant brings it back", reactivateUserGrant, async (world) => {
    const { userId, grantId } = await givenGranted(world, true);
    return {
      request: { userId, grantId },
      expected: {
        async ok() {
          const { state } = (await shown(world, userId, grantId))!;
          expect(state).toBe(UserGrantState.ACTIVE);
        },
      },
    };
  }),
  row("ReactivateUserGrant refuses one that is active", reactivateUserGrant, async (world) => {
    const { userId, grantId } = await givenGranted(world);
    return { request: { userId, grantId }, expected: unchanged };
  }),
  row("RemoveUserGrant removes it", removeUserGrant, async (world) => {
    const { userId, grantId } = await givenGranted(world);
    return {
      request: { userId, grantId },
      expected: {
        async ok(_message, events) {
          expect(events.map(fact)).toMatchObject([{ type: "user.grant.removed" }]);
          const again = await world.call(removeUserGrant, { userId, grantId });
          expect(again).toMatchObject({ ok: false, ...noGrant });
        },
      },
    };
  }),
  ...(
    [
      [updateUserGrant, { roleKeys: ["reader"] }],
      [deactivateUserGrant, {}],
      [reactivateUserGrant, {}],
      [removeUserGrant, {}],
      [getUserGrantByID, {}],
    ] as const
  ).flatMap(([method, more]): readonly Case[] => [
    row(
      `${method.name} refuses a grant of somebody else`,
      method as DescMethodUnary,
      async (world) => {
        const { grantId } = await givenGranted(world);
        const userId = await givenHuman(world.server, world.server.admin.organization);
        return { request: { userId, grantId, ...more }, expected: noGrant };
      },
    ),
    ...(method === getUserGrantByID
      ? []
      : [
          row(`${method.name} refuses who holds less`, method as DescMethodUnary, async (world) => {
            const { userId, grantId } = await givenGranted(world);
            return {
              request: { userId, grantId, ...more },
              token: await editorBelow(world, userId),
              expected: escalation,
            };
          }),
        ]),
  ]),
  row("AddUserGrant refuses who holds less", addUserGrant, async (world) => {
    const { userId } = await givenRoles(world);
    return {
      request: { userId, projectId: world.project, roleKeys: ["editor"] },
      token: await editorBelow(world, userId),
      expected: escalation,
    };
  }),
]);
