import { v7 } from "uuid";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { ListGrantedProjectsResponse } from "../../gen/iam/management/v1/project_grant_pb.js";
import { type GrantEvent, grant } from "../../src/domain/grant.ts";
import {
  type GrantedProject,
  type ProjectGrantEvent,
  projectGrant,
} from "../../src/domain/project-grant.ts";
import { role } from "../../src/domain/role.ts";
import type { World } from "../harness/cases.ts";
import { givenOrganization, givenUser, type TestServer } from "../harness/server.ts";
import { recorded } from "./given.ts";
import { granted } from "./stored.ts";
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
  readonly projectGrantId?: string;
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

export function givenProjectGrant(
  server: Pick<TestServer, "store" | "log">,
  owner: string,
  payload: GrantedProject,
  ...then: readonly ProjectGrantEvent[]
): Promise<string> {
  const added = { type: "project.grant.added", payload } as const;
  return recorded(server, projectGrant, owner, [added, ...then]);
}

/** A customer: an organization to which the project is granted with `editor`, and a person there. */
export async function givenCustomer(
  world: World,
  ...then: readonly ProjectGrantEvent[]
): Promise<Customer> {
  const { server, project: projectId } = world;
  const { organization } = server.admin;
  const editor = await givenRole(server, organization, projectId, { key: "editor" });
  const reader = await givenRole(server, organization, projectId, { key: "reader" });
  const customer = await givenOrganization(server, `Customer ${v7()}`);
  const granted = { projectId, grantedOrgId: customer, roleIds: [editor] };
  const projectGrantId = await givenProjectGrant(server, organization, granted, ...then);
  return { customer, projectGrantId, editor, reader, userId: await givenHuman(server, customer) };
}

/** The ids of a customer, and of what it has. */
export interface Customer {
  readonly customer: string;
  readonly projectGrantId: string;
  readonly editor: string;
  readonly reader: string;
  readonly userId: string;
}

/** What a customer was granted. */
export async function grantedTo({ server, call }: World, customer: string) {
  const scope = { level: "organization", organization: customer } as const;
  const { token } = await givenUser(server, customer, [{ scope, roles: ["ORG_OWNER_VIEWER"] }]);
  const answer = await call(ManagementService.method.listGrantedProjects, {}, token);
  return granted<ListGrantedProjectsResponse>(answer).result;
}

/** Grants `editor` to the person of the customer. */
export function givenToCustomer(
  { server, project: projectId }: World,
  { customer, editor, projectGrantId, userId }: Customer,
): Promise<string> {
  return givenGrant(server, customer, { userId, projectId, roleIds: [editor], projectGrantId });
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
