import { expect } from "@jest/globals";
import { v7 } from "uuid";
import { GroupService } from "../../gen/iam/group/v1/group_service_pb.js";
import type { ListGroupMembersResponse } from "../../gen/iam/group/v1/member_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { Type } from "../../gen/iam/user/v1/user_pb.js";
import { joinedLimits, managersAmong, membersOf } from "../../src/domain/user/state/joined.ts";
import { row, runCases } from "../harness/cases.ts";
import { givenOrganization, givenUser } from "../harness/server.ts";
import { oneClient } from "./given.ts";
import { givenGroup, givenMember, joined, noGroup, ownerBelow } from "./groups.ts";
import { ownerIn } from "./orgs.ts";
import { fact, granted } from "./stored.ts";
import { ada, escalation, givenHuman, notFound } from "./users.ts";

// Who is in a group.

const { addGroupMember, listGroupMembers, removeGroupMember } = GroupService.method;
const { removeUser, updateUserName } = ManagementService.method;
const { groupsOfUser: most } = joinedLimits;

runCases("AddGroupMember", [
  row("records it of the user", addGroupMember, async ({ server }) => {
    const { organization } = server.admin;
    const groupId = await givenGroup(server, organization);
    const userId = await givenHuman(server, organization);
    return {
      request: { groupId, userId },
      expected: {
        ok({ details }, events) {
          const stream = `user-${userId}`;
          const event = { stream, type: "user.group.joined", payload: { groupId } };
          expect(events.map(fact)).toMatchObject([event]);
          expect(details?.sequence).toBe(events[0]?.position);
        },
      },
    };
  }),
  row("takes a machine, and oneself", addGroupMember, async ({ server }) => {
    const { organization } = server.admin;
    const groupId = await givenGroup(server, organization);
    const { userId, token } = await givenUser(server, organization, [ownerIn(organization)]);
    const ok = (_message: unknown, events: readonly object[]) => expect(events).toHaveLength(1);
    return { request: { groupId, userId }, token, expected: { ok } };
  }),
  row("refuses a member", addGroupMember, async (world) => {
    const { groupId, userId } = await givenMember(world);
    return {
      request: { groupId, userId },
      expected: { code: 6, reason: "MEMBER_EXISTS" },
    };
  }),
  row("refuses a user of another organization", addGroupMember, async (world) => {
    const { server } = world;
    const { groupId } = await givenMember(world);
    const userId = await givenHuman(server, await givenOrganization(server));
    return { request: { groupId, userId }, expected: notFound };
  }),
  row("refuses a removed group", addGroupMember, async ({ server }) => {
    const { organization } = server.admin;
    const gone = { type: "group.removed", payload: {} } as const;
    const groupId = await givenGroup(server, organization, {}, gone);
    const userId = await givenHuman(server, organization);
    return { request: { groupId, userId }, expected: noGroup };
  }),
  row("refuses who holds more", addGroupMember, async (world) => {
    const { server } = world;
    const { organization } = server.admin;
    const groupId = await givenGroup(server, organization);
    const userId = await givenHuman(server, organization);
    const token = await ownerBelow(world, userId);
    return { request: { groupId, userId }, token, expected: escalation };
  }),
  ...(
    [
      ["takes as many groups as a user may be in", most - 1, undefined],
      ["refuses one group more", most, { code: 8, reason: "LIMIT_REACHED" }],
    ] as const
  ).map(([name, count, refused]) =>
    row(
      name,
      addGroupMember,
      async ({ server }) => {
        const { organization } = server.admin;
        const groupId = await givenGroup(server, organization);
        const userId = await givenHuman(server, organization);
        await joined(server, organization, userId, ...Array.from({ length: count }, () => v7()));
        const ok = (_message: unknown, events: readonly object[]) => expect(events).toHaveLength(1);
        return { request: { groupId, userId }, expected: refused ?? { ok } };
      },
      oneClient,
    ),
  ),
]);

runCases("RemoveGroupMember", [
  row("records it of the user", removeGroupMember, async (world) => {
    const { groupId, userId } = await givenMember(world);
    return {
      request: { groupId, userId },
      expected: {
        async ok(_message, events) {
          const event = { type: "user.group.left", payload: { groupId } };
          expect(events.map(fact)).toMatchObject([event]);
          expect((await world.server.store.holders(membersOf(groupId), 1)).total).toBe(0);
        },
      },
    };
  }),
  row("refuses who is no member", removeGroupMember, async (world) => {
    const { groupId } = await givenMember(world);
    const userId = await givenHuman(world.server, world.server.admin.organization);
    return {
      request: { groupId, userId },
      expected: { code: 5, reason: "MEMBER_NOT_FOUND" },
    };
  }),
  row("refuses who holds more", removeGroupMember, async (world) => {
    const { groupId, userId } = await givenMember(world);
    const token = await ownerBelow(world, userId);
    return { request: { groupId, userId }, token, expected: escalation };
  }),
]);

runCases("members of a group", [
  row("are listed, the newest user first", listGroupMembers, async (world) => {
    const { server } = world;
    const { organization } = server.admin;
    const { groupId, userId } = await givenMember(world);
    const machine = await givenUser(server, organization);
    await joined(server, organization, machine.userId, groupId);
    return {
      request: { groupId },
      expected: {
        ok({ result, details }) {
          expect(result).toMatchObject([
            { userId: machine.userId, userType: Type.MACHINE },
            { userId, displayName: ada.displayName, userType: Type.HUMAN },
          ]);
          expect(details?.totalResult).toBe(2n);
        },
      },
    };
  }),
  row("stay members by another name", updateUserName, async (world) => {
    const { server } = world;
    const { groupId, userId } = await givenMember(world);
    await ownerBelow(world, userId);
    return {
      request: { userId, userName: `${world.unique} 2` },
      expected: {
        async ok() {
          for (const group of [membersOf, managersAmong]) {
            const { streams } = await server.store.holders(group(groupId), 2);
            expect(streams).toEqual([`user-${userId}`]);
          }
        },
      },
    };
  }),
  row("leave with the user", removeUser, async (world) => {
    const { groupId, userId } = await givenMember(world);
    return {
      request: { id: userId },
      expected: {
        async ok(_message, events) {
          expect(events.map(({ type }) => type)).toEqual(["user.removed"]);
          const answer = await world.call(listGroupMembers, { groupId });
          expect(granted<ListGroupMembersResponse>(answer).result).toEqual([]);
        },
      },
    };
  }),
]);
