import { v7 } from "uuid";
import { type GrantEvent, grant } from "../../src/domain/grant.ts";
import { role } from "../../src/domain/role.ts";
import type { TestServer } from "../harness/server.ts";
import { recorded } from "./given.ts";

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
