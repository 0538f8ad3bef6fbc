import { v7 } from "uuid";
import { grant } from "../../src/domain/grant.ts";
import { projectGrant } from "../../src/domain/project-grant.ts";
import { role } from "../../src/domain/role.ts";
import { givenOrganization, givenProject, type TestServer } from "../harness/server.ts";
import { aUser, deactivated, type Given, member, type Place, record } from "./given.ts";

/** Roles of projects, and what users are granted, for calls to act on. */

/** A role of the project, by its key. */
export const aRole: Given = async ({ server }, { organization, project: id }) => ({
  role: (await givenRole(server, organization, id)).key,
});

/** The same, and a user whom nobody has granted it. */
export const aUserAndRole: Given = async (maker, place) => ({
  ...(await aUser(maker, place)),
  ...(await aRole(maker, place)),
});

/** A user with a grant of one role, and another role of the project. */
export const aGrant: Given = async ({ server }, place) => ({
  ...(await givenGrant(server, place)),
});

export const anInactiveGrant: Given = async ({ server }, place) => {
  const ids = await givenGrant(server, place);
  await record(server, { noun: grant, id: ids.grant }, [deactivated("user.grant.deactivated")]);
  return ids;
};

/** A role of the project, and an organization to which nobody has granted it. */
export const aRoleAndOrg: Given = async (maker, place) => ({
  ...(await aRole(maker, place)),
  grantedOrg: await givenOrganization(maker.server),
});

/** A grant of the project to another organization, and a role that it does not have. */
export const aProjectGrant: Given = async ({ server }, { organization, project: id }) => ({
  role: (await givenRole(server, organization, id)).key,
  grant: await givenProjectGrant(server, organization, id, await givenOrganization(server)),
});

export const anInactiveProjectGrant: Given = async (maker, place) => {
  const ids = await aProjectGrant(maker, place);
  const stream = { noun: projectGrant, id: ids.grant ?? "" };
  await record(maker.server, stream, [deactivated("project.grant.deactivated")]);
  return ids;
};

/** A project of a further organization, which was granted to that of the call. */
export const aGrantedProject: Given = async ({ server }, { target }) => {
  const owner = await givenOrganization(server);
  const projectId = await givenProject(server, owner);
  return { grant: await givenProjectGrant(server, owner, projectId, target) };
};

/** A grant of a project without roles, made without a call. */
export function givenProjectGrant(
  server: TestServer,
  owner: string,
  projectId: string,
  grantedOrgId: string,
  roleIds: readonly string[] = [],
): Promise<string> {
  const payload = { projectId, grantedOrgId, roleIds };
  const stream = { noun: projectGrant, id: v7(), owner };
  return record(server, stream, [{ type: "project.grant.added", payload }]);
}

async function givenGrant(server: TestServer, { organization }: Place) {
  const projectId = await givenProject(server, organization);
  const { id } = await givenRole(server, organization, projectId);
  const { key: role } = await givenRole(server, organization, projectId);
  const { user: userId } = await member(server, organization);
  const payload = { userId, projectId, roleIds: [id], userType: "MACHINE" } as const;
  const stream = { noun: grant, id: v7(), owner: organization };
  return {
    user: userId,
    role,
    grant: await record(server, stream, [{ type: "user.grant.added", payload }]),
  };
}

/** A role of a project, made without a call. */
export async function givenRole(server: TestServer, owner: string, projectId: string) {
  const [id, key] = [v7(), v7()];
  const payload = { projectId, key, displayName: "Editor", group: "" };
  await record(server, { noun: role, id, owner }, [{ type: "project.role.added", payload }]);
  return { id, key };
}
