import { toJson } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import type {
  GetGroupByIDResponse,
  ListUserGroupsResponse,
} from "../../gen/iam/group/v1/group_pb.js";
import { GroupService } from "../../gen/iam/group/v1/group_service_pb.js";
import { membersOf } from "../../src/domain/user/state/joined.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenOrganization } from "../harness/server.ts";
import { detailsJson, eventsOf } from "./given.ts";
import { givenGroup, givenMember, givenReaching, joined, noGroup, ownerBelow } from "./groups.ts";
import { fact, granted } from "./stored.ts";
import { escalation, givenHuman } from "./users.ts";

// Groups of an organization, and their names.

const { addGroup, addGroupMember, getGroupByID, removeGroup, updateGroup } = GroupService.method;
const { listGroupGrants, listGroupMembers, listUserGroups } = GroupService.method;
const taken = { code: 6, reason: "NAME_TAKEN" };

runCases("AddGroup", [
  row("records the group, and answers where it stands", addGroup, async ({ server, unique }) => ({
    request: { name: unique, description: "Those who write" },
    expected: {
      async ok(message, events) {
        const stream = `group-${message.id}`;
        expect(events.map(fact)).toEqual([
          {
            ...{ stream, version: 1, type: "group.added" },
            ...{ owner: server.admin.organization, actor: server.admin.userId },
            payload: { name: unique, description: "Those who write" },
          },
        ]);
        const details = detailsJson(await eventsOf(server, stream));
        expect(toJson(addGroup.output, message)).toEqual({ id: message.id, details });
      },
    },
  })),
  row("refuses a name of the organization, ignoring case", addGroup, async ({ server, unique }) => {
    await givenGroup(server, server.admin.organization, { name: unique.toUpperCase() });
    return { request: { name: unique }, expected: taken };
  }),
  row("takes a name of another organization", addGroup, async ({ server, unique }) => {
    await givenGroup(server, await givenOrganization(server), { name: unique });
    const ok = (_message: unknown, events: readonly object[]) => expect(events).toHaveLength(1);
    return { request: { name: unique }, expected: { ok } };
  }),
  row("refuses a blank name", addGroup, () => ({
    request: { name: " " },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["name"] },
  })),
]);

runCases("UpdateGroup", [
  row("replaces name and description", updateGroup, async (world) => {
    const { groupId: id } = await givenMember(world);
    const payload = { name: `${world.unique} 2`, description: "" };
    return {
      request: { id, ...payload },
      expected: {
        async ok(message, events) {
          expect(message).toMatchObject({ id, details: { sequence: events[0]?.position } });
          expect(events.map(fact)).toMatchObject([{ type: "group.changed", payload }]);
          const { group } = granted<GetGroupByIDResponse>(await world.call(getGroupByID, { id }));
          expect(group).toMatchObject({ ...payload, members: 1n });
        },
      },
    };
  }),
  row("refuses what is so already", updateGroup, async (world) => {
    const { groupId: id } = await givenMember(world);
    return {
      request: { id, name: world.unique },
      expected: { code: 9, reason: "NOTHING_CHANGED" },
    };
  }),
  row("refuses a taken name", updateGroup, async (world) => {
    const { server, unique } = world;
    const { groupId: id } = await givenMember(world);
    await givenGroup(server, server.admin.organization, { name: `${unique} 2` });
    return { request: { id, name: `${unique} 2` }, expected: taken };
  }),
  row("refuses a blank name", updateGroup, async (world) => ({
    request: { id: (await givenMember(world)).groupId, name: " " },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["name"] },
  })),
  row("gives nobody who holds more the name of a removed group", updateGroup, async (world) => {
    const { userId, groupId: id } = await givenMember(world);
    const { organization } = world.server.admin;
    const gone = { type: "group.removed", payload: {} } as const;
    const name = `${world.unique} admins`;
    await givenGroup(world.server, organization, { name }, gone);
    return { request: { id, name }, token: await ownerBelow(world, userId), expected: escalation };
  }),
  row("describes a group of whom holds more", updateGroup, async (world) => {
    const { userId, groupId: id } = await givenMember(world);
    const ok = (_message: unknown, events: readonly object[]) => expect(events).toHaveLength(1);
    return {
      request: { id, name: world.unique, description: "Those who write" },
      token: await ownerBelow(world, userId),
      expected: { ok },
    };
  }),
]);

runCases("GetGroupByID", [
  row("answers the group, and how many are in it", getGroupByID, async (world) => {
    const { groupId: id } = await givenMember(world);
    const group = { id, name: world.unique, description: "", members: 1n };
    return {
      request: { id },
      expected: { ok: (message) => expect(message).toMatchObject({ group }) },
    };
  }),
]);

runCases("RemoveGroup", [
  row("ends its grants, and that its members are in it", removeGroup, async (world) => {
    const { groupId: id, userId, grantId } = await givenReaching(world);
    const { call } = world;
    return {
      request: { id },
      expected: {
        async ok(message, events) {
          expect(message.id).toBe(id);
          expect(events.map(({ type, stream }) => [type, stream])).toEqual([
            ["group.removed", `group-${id}`],
            ["group.grant.removed", `grant-${grantId}`],
            ["user.group.left", `user-${userId}`],
          ]);
          expect((await world.server.store.holders(membersOf(id), 1)).total).toBe(0);
          const { result } = granted<ListUserGroupsResponse>(
            await call(listUserGroups, { userId }),
          );
          expect(result).toEqual([]);
          expect(await call(getGroupByID, { id })).toMatchObject({ ok: false, ...noGroup });
        },
      },
    };
  }),
  row("frees its name", addGroup, async (world) => {
    const { groupId: id } = await givenMember(world);
    granted(await world.call(removeGroup, { id }));
    return {
      request: { name: world.unique },
      expected: { ok: (one) => expect(one.id).not.toBe(id) },
    };
  }),
  row("may remove a group of whom holds more", removeGroup, async (world) => {
    const { groupId: id, userId } = await givenMember(world);
    const ok = (_message: unknown, events: readonly object[]) => expect(events).toHaveLength(2);
    return { request: { id }, token: await ownerBelow(world, userId), expected: { ok } };
  }),
]);

/** A group of another organization. */
const foreign = async ({ server }: World) => givenGroup(server, await givenOrganization(server));

runCases("a group of another organization", [
  ...([updateGroup, removeGroup, getGroupByID] as const).map((method) =>
    row(`is unknown to ${method.name}`, method as typeof updateGroup, async (world) => ({
      request: { id: await foreign(world), name: world.unique },
      expected: noGroup,
    })),
  ),
  ...([listGroupGrants, listGroupMembers] as const).map((method) =>
    row(`is unknown to ${method.name}`, method as typeof listGroupMembers, async (world) => ({
      request: { groupId: await foreign(world) },
      expected: noGroup,
    })),
  ),
  row("takes nobody of this one", addGroupMember, async (world) => {
    const { server } = world;
    const userId = await givenHuman(server, server.admin.organization);
    return { request: { groupId: await foreign(world), userId }, expected: noGroup };
  }),
]);

runCases("lists of groups", [
  row(
    "ListGroups shows those of the organization, the newest first",
    GroupService.method.listGroups,
    async (world) => {
      const { server, unique } = world;
      const id = await givenOrganization(server, unique);
      const [first, second] = [await givenGroup(server, id), await givenGroup(server, id)];
      const userId = await givenHuman(server, id);
      await joined(server, id, userId, first);
      return {
        request: {},
        headers: { "x-service-orgid": id },
        expected: {
          ok({ result, details }) {
            expect(result.map((one) => [one.id, one.members])).toEqual([
              [second, 0n],
              [first, 1n],
            ]);
            expect(details?.totalResult).toBe(2n);
          },
        },
      };
    },
  ),
  row("ListUserGroups shows those of the user alone", listUserGroups, async (world) => {
    const { server } = world;
    const { groupId, userId } = await givenMember(world);
    await givenGroup(server, server.admin.organization);
    return {
      request: { userId },
      expected: { ok: ({ result }) => expect(result.map(({ id }) => id)).toEqual([groupId]) },
    };
  }),
  row("ListUserGroups refuses a user of another organization", listUserGroups, async (world) => ({
    request: { userId: await givenHuman(world.server, await givenOrganization(world.server)) },
    expected: { code: 5, reason: "USER_NOT_FOUND" },
  })),
]);
