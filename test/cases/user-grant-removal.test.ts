import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { grantsOf } from "../../src/domain/grant.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenProject } from "../harness/server.ts";
import { editorBelow, givenGrant, givenGranted, givenRole } from "./grants.ts";
import { escalation, givenHuman } from "./users.ts";

// Several grants that go at once, by themselves or with their user.

const { bulkRemoveUserGrant, removeUser } = ManagementService.method;
const noGrant = { code: 5, reason: "USER_GRANT_NOT_FOUND" };

runCases("BulkRemoveUserGrant", [
  row("removes several in one commit", bulkRemoveUserGrant, async (world) => {
    const [one, other] = [await givenGranted(world), await twin(world)];
    return {
      request: { grantId: [one.grantId, other.grantId, one.grantId] },
      expected: {
        ok(_message, events) {
          expect(events.map(({ type, stream }) => [type, stream]).sort()).toEqual(
            [one, other].map((each) => ["user.grant.removed", `grant-${each.grantId}`]).sort(),
          );
        },
      },
    };
  }),
  row("removes none where one is unknown", bulkRemoveUserGrant, async (world) => ({
    request: { grantId: [(await givenGranted(world)).grantId, world.unique] },
    expected: noGrant,
  })),
  row("removes none where one is of another organization", bulkRemoveUserGrant, async (world) => {
    const { server } = world;
    const other = await givenOrganization(server);
    const projectId = await givenProject(server, other);
    const roleIds = [await givenRole(server, other, projectId)];
    const userId = await givenHuman(server, other);
    const theirs = await givenGrant(server, other, { userId, projectId, roleIds });
    return {
      request: { grantId: [(await givenGranted(world)).grantId, theirs] },
      expected: noGrant,
    };
  }),
  row("refuses who holds less than a user", bulkRemoveUserGrant, async (world) => {
    const [one, other] = [await givenGranted(world), await twin(world)];
    return {
      request: { grantId: [one.grantId, other.grantId] },
      token: await editorBelow(world, other.userId),
      expected: escalation,
    };
  }),
]);

/** Another grant, for another project. */
async function twin(world: World) {
  const project = await givenProject(world.server, world.server.admin.organization);
  return await givenGranted({ ...world, project });
}

runCases("grants of removed users", [
  row("go in the same commit", removeUser, async (world) => {
    const { server } = world;
    const { userId } = await givenGranted(world);
    return {
      request: { id: userId },
      expected: {
        async ok(_message, events) {
          const types = events.map(({ type }) => type);
          expect(types).toEqual(["user.grant.removed", "user.removed"]);
          expect((await server.store.holders(grantsOf(userId), 1)).total).toBe(0);
        },
      },
    };
  }),
]);
