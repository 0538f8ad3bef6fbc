import { v7 } from "uuid";
import type { Role } from "../../src/domain/permission.ts";
import type { RequestIds } from "./given.ts";
import { aGroup, aGroupAndRole, aGroupGrant, aGroupMember, aUserAndGroup } from "./given-groups.ts";
import { inOrg, type Operation, shows } from "./operation.ts";

const owners: readonly Role[] = ["IAM_OWNER", "ORG_OWNER"];
const readers: readonly Role[] = [...owners, "IAM_OWNER_VIEWER", "ORG_OWNER_VIEWER"];

const page = { query: { asc: true, limit: 5 } };
const byId = ({ group: id }: RequestIds) => ({ id });
const inGroup = (request: (ids: RequestIds) => object) => (ids: RequestIds) => ({
  groupId: ids.group,
  ...request(ids),
});
const ofUser = inGroup(({ user: userId }) => ({ userId }));
const named = () => ({ name: v7(), description: "Those who write" });

/** Those on groups of users: see `operations.ts`. */
// biome-ignore format: a table
export const groupOperations: { readonly [name: string]: Operation } = {
  AddGroup: inOrg("group.write", owners, [], named, ["group.added"]),
  UpdateGroup: inOrg("group.write", owners, ["group"],
    (ids) => ({ ...byId(ids), ...named() }), ["group.changed"], aGroup),
  RemoveGroup: inOrg("group.delete", owners, ["group"], byId, ["group.removed"], aGroup),
  GetGroupByID: inOrg("group.read", readers, ["group"], byId),
  ListGroups: shows("target", inOrg("group.read", readers, [], () => page, [], aGroup)),
  ListUserGroups: inOrg("group.read", readers, ["user"],
    ({ user: userId }) => ({ ...page, userId }), [], aGroupMember),

  AddGroupMember: inOrg("group.write", owners, ["group", "user"], ofUser,
    ["user.group.joined"], aUserAndGroup),
  RemoveGroupMember: inOrg("group.write", owners, ["group", "user"], ofUser,
    ["user.group.left"], aGroupMember),
  ListGroupMembers: inOrg("group.read", readers, ["group"], inGroup(() => page), [], aGroupMember),

  AddGroupGrant: inOrg("group.write", owners, ["group", "project"],
    inGroup(({ project: projectId, role = "none" }) => ({ projectId, roleKeys: [role] })),
    ["group.grant.added"], aGroupAndRole),
  UpdateGroupGrant: onGrant("changed", ({ role = "none" }) => ({ roleKeys: [role] })),
  RemoveGroupGrant: onGrant("removed"),
  ListGroupGrants: inOrg("group.read", readers, ["group"], inGroup(() => page), [], aGroupGrant),
};

/** An operation that changes a grant of a group. */
function onGrant(event: string, more: (ids: RequestIds) => object = () => ({})): Operation {
  const request = inGroup((ids) => ({ grantId: ids.grant ?? "none", ...more(ids) }));
  return inOrg("group.write", owners, ["group"], request, [`group.grant.${event}`], aGroupGrant);
}
