import { v7 } from "uuid";
import { grant } from "../../src/domain/grant.ts";
import { group } from "../../src/domain/group.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { givenProject, type TestServer } from "../harness/server.ts";
import { aUser, type Given, record } from "./given.ts";
import { aRole, givenRole } from "./given-grants.ts";

/** Groups of users, for calls to act on. */

/** A group of an organization, made without a call. */
export function givenGroup(server: TestServer, owner: string): Promise<string> {
  const payload = { name: v7(), description: "" };
  return record(server, { noun: group, id: v7(), owner }, [{ type: "group.added", payload }]);
}

export const aGroup: Given = async ({ server }, { organization }) => ({
  group: await givenGroup(server, organization),
});

/** A group, and a user who is not in it. */
export const aUserAndGroup: Given = async (maker, place) => ({
  ...(await aUser(maker, place)),
  ...(await aGroup(maker, place)),
});

/** A group with one member. */
export const aGroupMember: Given = async (maker, place) => {
  const ids = await aUserAndGroup(maker, place);
  const payload = { groupId: ids.group ?? "" };
  const stream = { noun: user, id: ids.user ?? "" };
  await record(maker.server, stream, [{ type: "user.group.joined", payload }]);
  return ids;
};

/** A group, and a role that nobody has granted it. */
export const aGroupAndRole: Given = async (maker, place) => ({
  ...(await aGroup(maker, place)),
  ...(await aRole(maker, place)),
});

/** A group with a grant of one role, and another role of the project. */
export const aGroupGrant: Given = async ({ server }, { organization }) => {
  const projectId = await givenProject(server, organization);
  const { id } = await givenRole(server, organization, projectId);
  const { key: role } = await givenRole(server, organization, projectId);
  const groupId = await givenGroup(server, organization);
  const payload = { groupId, projectId, roleIds: [id] };
  const stream = { noun: grant, id: v7(), owner: organization };
  return {
    group: groupId,
    role,
    grant: await record(server, stream, [{ type: "group.grant.added", payload }]),
  };
};
