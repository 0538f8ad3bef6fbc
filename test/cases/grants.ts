import { v7 } from "uuid";
import { type GrantEvent, grant } from "../../src/domain/grant.ts";
import { role } from "../../src/domain/role.ts";
import type { World } from "../harness/cases.ts";
import { givenUser, type TestServer } from "../harness/server.ts";
import { recorded } from "./given.ts";
import { givenHuman, outrank } from "./users.ts";

/** Roles of projects, and what users hold of them, made without a call. */

export function givenRole(
  server: Pick<TestServer, "store" | "log">,
  owner: string,
  projectId: string,
  { key = v7() as string, displayName = "Editor", group = "" } = {},
): Promise<string> {
  const payload = { projectId, key, displayName, group };
  return recorded(server, role, owner, [{ type: "project.role.added", payload }]);
}

/** What a user is granted. */
export interface GivenGrant {
  readonly userId: string;
  readonly projectId: string;
  readonly roleIds: readonly string[];
  readonly userType?: "HUMAN" | "MACHINE";
}

export function givenGrant(
  server: Pick<TestServer, "store" | "log">,
  owner: string,
  { userType = "HUMAN", ...given }: GivenGrant,
  ...then: readonly GrantEvent[]
): Promise<string> {
  const payload = { ...given, userType };
  return recorded(server, grant, owner, [{ type: "user.grant.added", payload }, ...then]);
}

/** A person, and a project with the roles `editor` and `reader`. */
export async function givenRoles({ server, project }: World) {
  const { organization } = server.admin;
  const editor = await givenRole(server, organization, project, { key: "editor" });
  const reader = await givenRole(server, organization, project, { key: "reader" });
  return { userId: await givenHuman(server, organization), editor, reader };
}

/** The same, with a grant of `editor`. */
export async function givenGranted(world: World, isInactive = false) {
  const { server, project } = world;
  const roles = await givenRoles(world);
  const { userId, editor } = roles;
  const given = { userId, projectId: project, roleIds: [editor] };
  const then = isInactive ? ([{ type: "user.grant.deactivated", payload: {} }] as const) : [];
  const grantId = await givenGrant(server, server.admin.organization, given, ...then);
  return { ...roles, grantId };
}

/** Makes a user an owner of the organization; answers the token of one who grants roles alone. */
export async function editorBelow({ server }: World, userId: string): Promise<string> {
  await outrank(server, userId);
  const { organization } = server.admin;
  const scope = { level: "organization", organization } as const;
  const { token } = await givenUser(server, organization, [
    { scope, roles: ["ORG_USER_PERMISSION_EDITOR"] },
  ]);
  return token;
}
