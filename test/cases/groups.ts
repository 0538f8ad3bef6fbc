import { v7 } from "uuid";
import { type GrantEvent, grant } from "../../src/domain/grant.ts";
import { type GroupEvent, group } from "../../src/domain/group.ts";
import { user } from "../../src/domain/user/state/user.ts";
import type { World } from "../harness/cases.ts";
import { givenUser, type TestServer } from "../harness/server.ts";
import { recorded } from "./given.ts";
import { givenRole } from "./grants.ts";
import { givenHuman, happen } from "./users.ts";

/** Groups of users, made without a call. */

type Server = Pick<TestServer, "store" | "log">;

export const noGroup = { code: 5, reason: "GROUP_NOT_FOUND" };

export function givenGroup(
  server: Server,
  owner: string,
  { name = v7() as string, description = "" } = {},
  ...then: readonly GroupEvent[]
): Promise<string> {
  const payload = { name, description };
  return recorded(server, group, owner, [{ type: "group.added", payload }, ...then]);
}

/** Makes a user a member of groups. */
export async function joined(
  server: Server,
  owner: string,
  userId: string,
  ...groups: readonly string[]
): Promise<void> {
  const events = groups.map((groupId) => {
    return { type: "user.group.joined", payload: { groupId } } as const;
  });
  await recorded(server, user, owner, events, userId);
}

export function givenGroupGrant(
  server: Server,
  owner: string,
  payload: {
    readonly groupId: string;
    readonly projectId: string;
    readonly roleIds: readonly string[];
    readonly projectGrantId?: string;
  },
  ...then: readonly GrantEvent[]
): Promise<string> {
  return recorded(server, grant, owner, [{ type: "group.grant.added", payload }, ...then]);
}

/** A group with a member, and a project with the roles `editor` and `reader`. */
export async function givenMember({ server, project, unique }: World) {
  const { organization } = server.admin;
  const groupId = await givenGroup(server, organization, { name: unique });
  const userId = await givenHuman(server, organization);
  await joined(server, organization, userId, groupId);
  const editor = await givenRole(server, organization, project, { key: "editor" });
  const reader = await givenRole(server, organization, project, { key: "reader" });
  return { groupId, userId, editor, reader };
}

/** The same, with a grant of `editor`. */
export async function givenReaching(world: World) {
  const { server, project } = world;
  const given = await givenMember(world);
  const { groupId, editor } = given;
  const payload = { groupId, projectId: project, roleIds: [editor] };
  return { ...given, grantId: await givenGroupGrant(server, server.admin.organization, payload) };
}

/** Gives a user a role in the instance; answers the token of an owner of the organization. */
export async function ownerBelow({ server }: World, userId: string): Promise<string> {
  const payload = { scope: { level: "instance" }, roles: ["IAM_OWNER_VIEWER"] } as const;
  await happen(server, [{ type: "user.membership.granted", payload }], { id: userId });
  const { organization } = server.admin;
  const scope = { level: "organization", organization } as const;
  return (await givenUser(server, organization, [{ scope, roles: ["ORG_OWNER"] }])).token;
}
