import type { Role } from "../../src/domain/permission.ts";
import {
  aMemberOfAll,
  aMemberOfOrganization,
  aMemberOfProject,
  aMemberOfTwoRoles,
  aUser,
  type RequestIds,
} from "./given.ts";
import { anywhere, inOrg, type Operation, ofAll, shows } from "./operation.ts";

const owner: readonly Role[] = ["IAM_OWNER"];
const owners: readonly Role[] = [...owner, "ORG_OWNER"];
const ofInstance: readonly Role[] = ["IAM_OWNER", "IAM_OWNER_VIEWER"];
const readers: readonly Role[] = [...ofInstance, "ORG_OWNER", "ORG_OWNER_VIEWER"];

const joins = ["user.membership.granted"];
const changes = ["user.membership.changed"];
const leaves = ["user.membership.removed"];

const page = () => ({ query: { asc: true, limit: 5 } });
const none = () => ({});
const user =
  (more: object = {}) =>
  (ids: RequestIds) => ({ userId: ids.user, ...more });
const onProject = (request: (ids: RequestIds) => object) => (ids: RequestIds) => ({
  projectId: ids.project,
  ...request(ids),
});

/** Those on who has which roles, and what callers are told of themselves: see `operations.ts`. */
// biome-ignore format: a table
export const memberOperations: { readonly [name: string]: Operation } = {
  AddIAMMember: ofAll("iam.member.write", owner, ["member"],
    user({ roles: ["IAM_OWNER_VIEWER"] }), joins, aUser),
  AddOrgMember: inOrg("org.member.write", owners, ["member"],
    user({ roles: ["ORG_USER_MANAGER"] }), joins, aUser),
  AddProjectMember: inOrg("project.member.write", owners, ["project", "member"],
    onProject(user({ roles: ["PROJECT_OWNER"] })), joins, aUser),
  UpdateIAMMember: ofAll("iam.member.write", owner, ["joined"],
    user({ roles: ["IAM_OWNER"] }), changes, aMemberOfAll),
  UpdateOrgMember: inOrg("org.member.write", owners, ["joined"],
    user({ roles: ["ORG_USER_MANAGER"] }), changes, aMemberOfTwoRoles),
  // There is one role only.
  UpdateProjectMember: { ...inOrg("project.member.write", owners, ["project", "joined"],
    onProject(user({ roles: ["PROJECT_OWNER"] }))), passing: () => "9 NOTHING_CHANGED" },
  RemoveIAMMember: ofAll("iam.member.delete", owner, ["joined"], user(), leaves, aMemberOfAll),
  RemoveOrgMember: inOrg("org.member.delete", owners, ["joined"],
    user(), leaves, aMemberOfOrganization),
  RemoveProjectMember: inOrg("project.member.delete", owners, ["joinedProject", "joined"],
    onProject(user()), leaves, aMemberOfProject),

  ListIAMMembers: shows("nothing", ofAll("iam.member.read", ofInstance, [], page)),
  ListOrgMembers: shows("target", inOrg("org.member.read", readers, [],
    page, [], aMemberOfOrganization)),
  ListProjectMembers: inOrg("project.member.read", [...readers, "PROJECT_OWNER"], ["project"],
    onProject(page), [], aMemberOfProject),
  ListIAMMemberRoles: shows("nothing", ofAll("iam.member.read", ofInstance, [], none)),
  ListOrgMemberRoles: shows("nothing", inOrg("org.member.read", readers, [], none)),
  ListProjectMemberRoles: shows("nothing", inOrg("project.member.read", readers, [], none)),
  ListUserMemberships: inOrg("user.membership.read", [...readers, "ORG_USER_MANAGER"], ["user"],
    user(), [], aMemberOfOrganization),

  GetMyUser: anywhere("authenticated", [], [], none),
  ListMyUserGrants: shows("nothing", anywhere("authenticated", [], [], page)),
  ListMyProjectPermissions: shows("nothing", anywhere("authenticated", [], [], none)),
  ListMyIAMPermissions: shows("nothing", anywhere("authenticated", [], [], none)),
  ListMyMemberships: shows("nothing", anywhere("authenticated", [], [],
    () => ({ queries: [{ iamQuery: { iam: true } }] }))),
};
