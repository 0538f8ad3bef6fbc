import { v7 } from "uuid";
import type { Role } from "../../src/domain/permission.ts";
import type { Given, RequestIds } from "./given.ts";
import {
  aGrant,
  aGrantedProject,
  anInactiveGrant,
  anInactiveProjectGrant,
  aProjectGrant,
  aRole,
  aRoleAndOrg,
  aUserAndRole,
} from "./given-grants.ts";
import { inOrg, type Operation, shows } from "./operation.ts";

const owners: readonly Role[] = ["IAM_OWNER", "ORG_OWNER"];
const forRoles: readonly Role[] = [...owners, "PROJECT_OWNER"];
const forGrants: readonly Role[] = [...owners, "ORG_USER_PERMISSION_EDITOR"];
const grantReaders: readonly Role[] = [...forGrants, "IAM_OWNER_VIEWER", "ORG_OWNER_VIEWER"];
const roleReaders: readonly Role[] = [...grantReaders, "PROJECT_OWNER"];
const viewers: readonly Role[] = ["IAM_OWNER_VIEWER", "ORG_OWNER_VIEWER"];

const page = () => ({ query: { asc: true, limit: 5 } });
const onProject = (request: (ids: RequestIds) => object) => (ids: RequestIds) => ({
  projectId: ids.project,
  ...request(ids),
});
const inGrant = ({ user: userId, grant: grantId = "none" }: RequestIds) => ({ userId, grantId });

/** Those on roles of projects and on what users are granted: see `operations.ts`. */
// biome-ignore format: a table
export const roleOperations: { readonly [name: string]: Operation } = {
  AddProjectRole: inOrg("project.role.write", forRoles, ["project"],
    onProject(() => ({ roleKey: v7(), displayName: "Editor" })), ["project.role.added"]),
  BulkAddProjectRoles: inOrg("project.role.write", forRoles, ["project"],
    onProject(() => ({ roles: [{ key: v7(), displayName: "Editor" }] })), ["project.role.added"]),
  UpdateProjectRole: onRole("write", "changed", { displayName: "Author" }),
  RemoveProjectRole: onRole("delete", "removed"),
  ListProjectRoles: inOrg("project.role.read", roleReaders, ["project"],
    onProject(page), [], aRole),

  AddProjectGrant: inOrg("project.grant.write", forRoles, ["project"],
    onProject(({ grantedOrg = "none" }) => ({ grantedOrgId: grantedOrg })),
    ["project.grant.added"], aRoleAndOrg),
  UpdateProjectGrant: onProjectGrant("write", "changed", aProjectGrant,
    ({ role = "none" }) => ({ roleKeys: [role] })),
  DeactivateProjectGrant: onProjectGrant("write", "deactivated", aProjectGrant),
  ReactivateProjectGrant: onProjectGrant("write", "reactivated", anInactiveProjectGrant),
  RemoveProjectGrant: onProjectGrant("delete", "removed", aProjectGrant),
  ListProjectGrants: inOrg("project.grant.read", [...forRoles, ...viewers], ["project"],
    onProject(page), [], aProjectGrant),
  // What it shows belongs to one who granted it: see project-grants.test.ts.
  ListGrantedProjects: shows("nothing", inOrg("project.read", grantReaders, [],
    page, [], aGrantedProject)),

  AddUserGrant: inOrg("user.grant.write", forGrants, ["user", "project"],
    onProject(({ user: userId, role = "none" }) => ({ userId, roleKeys: [role] })),
    ["user.grant.added"], aUserAndRole),
  UpdateUserGrant: onGrant("write", "changed", aGrant,
    ({ role = "none" }) => ({ roleKeys: [role] })),
  DeactivateUserGrant: onGrant("write", "deactivated", aGrant),
  ReactivateUserGrant: onGrant("write", "reactivated", anInactiveGrant),
  RemoveUserGrant: onGrant("delete", "removed", aGrant),
  BulkRemoveUserGrant: shows("nothing", inOrg("user.grant.delete", forGrants, [],
    ({ grant = "none" }) => ({ grantId: [grant] }), ["user.grant.removed"], aGrant)),
  GetUserGrantByID: inOrg("user.grant.read", grantReaders, ["user"], inGrant, [], aGrant),
  ListUserGrants: shows("target", inOrg("user.grant.read", grantReaders, [], page, [], aGrant)),
};

/** An operation that changes a role of a project. */
function onRole(right: "write" | "delete", event: string, more: object = {}): Operation {
  const request = onProject(({ role: roleKey = "none" }) => ({ roleKey, ...more }));
  const events = [`project.role.${event}`];
  return inOrg(`project.role.${right}`, forRoles, ["project"], request, events, aRole);
}

/** An operation that changes a grant of a project to another organization. */
function onProjectGrant(
  right: "write" | "delete",
  event: string,
  given: Given,
  more: (ids: RequestIds) => object = () => ({}),
): Operation {
  const request = onProject((ids) => ({ grantId: ids.grant ?? "none", ...more(ids) }));
  const events = [`project.grant.${event}`];
  return inOrg(`project.grant.${right}`, forRoles, ["project"], request, events, given);
}

/** An operation that changes a grant. */
function onGrant(
  right: "write" | "delete",
  event: string,
  given: Given,
  more: (ids: RequestIds) => object = () => ({}),
): Operation {
  const request = (ids: RequestIds) => ({ ...inGrant(ids), ...more(ids) });
  const events = [`user.grant.${event}`];
  return inOrg(`user.grant.${right}`, forGrants, ["user"], request, events, given);
}
