import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { Role } from "../../src/domain/permission.ts";
import { row, runCases } from "../harness/cases.ts";
import { givenOrganization, givenProject, givenUser, type TestServer } from "../harness/server.ts";
import { detailsOf, fact } from "./stored.ts";

/** Where members are made: in which organization, on which project, of which users. */

const { addOrgMember, addProjectMember } = ManagementService.method;
const { addIAMMember } = AdminService.method;

const projectNotFound = {
  code: 5,
  reason: "PROJECT_NOT_FOUND",
  message: "The organization has no project with this id.",
};
const userNotFound = {
  code: 5,
  reason: "USER_NOT_FOUND",
  message: "No user with this id exists in an organization where the caller may do this.",
};
const denied = { code: 7, reason: "PERMISSION_DENIED" };
const exists = { code: 6, reason: "MEMBER_EXISTS" };
const orgRoles = ["ORG_OWNER_VIEWER"];

runCases("places of members", [
  row("an organization takes a user of another one", addOrgMember, async ({ server }) => {
    const { organization, userId: actor } = server.admin;
    const home = await givenOrganization(server);
    const { userId } = await givenUser(server, home);
    return {
      request: { userId, roles: orgRoles },
      expected: {
        ok({ details }, events) {
          // Memberships are part of the user, whose organization owns the event.
          const event = { stream: `user-${userId}`, version: 3, type: "user.membership.granted" };
          const payload = { scope: { level: "organization", organization }, roles: orgRoles };
          expect(events.map(fact)).toEqual([{ ...event, owner: home, actor, payload }]);
          expect(details).toMatchObject(detailsOf(events));
        },
      },
    };
  }),
  row("the header says which organization", addOrgMember, async ({ server }) => {
    const organization = await givenOrganization(server);
    const { userId } = await givenUser(server, server.admin.organization);
    return {
      request: { userId, roles: orgRoles },
      headers: { "x-service-orgid": organization },
      expected: {
        ok(_message, [event]) {
          const scope = { level: "organization", organization };
          expect(fact(event!).payload).toEqual({ scope, roles: orgRoles });
        },
      },
    };
  }),
  row("an owner may not reach users of another organization", addOrgMember, async ({ server }) => ({
    request: {
      userId: (await givenUser(server, await givenOrganization(server))).userId,
      roles: orgRoles,
    },
    token: await holderOf(server, "ORG_OWNER"),
    expected: userNotFound,
  })),
  row("an owner is told the same of unknown users", addOrgMember, async ({ server, unique }) => ({
    request: { userId: unique, roles: orgRoles },
    token: await holderOf(server, "ORG_OWNER"),
    expected: userNotFound,
  })),
  row("an owner makes owners of the organization", addOrgMember, async ({ server }) => ({
    request: {
      userId: (await givenUser(server, server.admin.organization)).userId,
      roles: ["ORG_OWNER"],
    },
    token: await holderOf(server, "ORG_OWNER"),
    expected: { ok: (_message, events) => expect(events).toHaveLength(1) },
  })),
  row("of two grants at once one wins", addOrgMember, async ({ server, call }) => {
    const { userId } = await givenUser(server, server.admin.organization);
    const answers = await Promise.all([
      call(addOrgMember, { userId, roles: orgRoles }),
      call(addOrgMember, { userId, roles: ["ORG_OWNER"] }),
    ]);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    expect(answers.filter(({ ok }) => !ok)).toMatchObject([exists]);
    return { request: { userId, roles: orgRoles }, expected: exists };
  }),

  row("the instance ignores the header", addIAMMember, async ({ server, unique }) => ({
    request: {
      userId: (await givenUser(server, server.admin.organization)).userId,
      roles: ["IAM_OWNER_VIEWER"],
    },
    headers: { "x-service-orgid": `${unique}, ${unique}` },
    expected: { ok: (_message, events) => expect(events).toHaveLength(1) },
  })),
  row("the instance takes users of every organization", addIAMMember, async ({ server }) => ({
    request: {
      userId: (await givenUser(server, await givenOrganization(server))).userId,
      roles: ["IAM_OWNER"],
    },
    expected: { ok: (_message, events) => expect(events).toHaveLength(1) },
  })),
  row("the instance is not for owners of organizations", addIAMMember, async ({ server }) => ({
    request: { userId: server.admin.userId, roles: ["IAM_OWNER_VIEWER"] },
    token: await holderOf(server, "ORG_OWNER"),
    expected: denied,
  })),

  row("a project is found in the organization of the header", addProjectMember, async (world) => {
    const { server } = world;
    const organization = await givenOrganization(server);
    const project = await givenProject(server, organization);
    const { userId } = await givenUser(server, organization);
    return {
      request: { projectId: project, userId, roles: ["PROJECT_OWNER"] },
      headers: { "x-service-orgid": organization },
      expected: {
        ok(_message, [event]) {
          const scope = { level: "project", organization, project };
          expect(fact(event!).payload).toEqual({ scope, roles: ["PROJECT_OWNER"] });
        },
      },
    };
  }),
  row("a project takes who is a member of its organization", addProjectMember, async (world) => {
    const { server, project: projectId } = world;
    const scope = { level: "organization", organization: server.admin.organization } as const;
    const membership = { scope, roles: ["ORG_OWNER"] } as const;
    const { userId } = await givenUser(server, scope.organization, [membership]);
    return {
      request: { projectId, userId, roles: ["PROJECT_OWNER"] },
      expected: { ok: (_message, events) => expect(events).toHaveLength(1) },
    };
  }),
  row("a project with an odd id is refused alike", addProjectMember, ({ server }) => ({
    request: { projectId: "a/b %2F ü", userId: server.admin.userId, roles: ["PROJECT_OWNER"] },
    expected: projectNotFound,
  })),
  row("a project's owner adds no members", addProjectMember, async ({ server, project }) => {
    const { organization, userId } = server.admin;
    const scope = { level: "project", organization, project } as const;
    const { token } = await givenUser(server, organization, [{ scope, roles: ["PROJECT_OWNER"] }]);
    const request = { projectId: project, userId, roles: ["PROJECT_OWNER"] };
    return { request, token, expected: denied };
  }),
]);

async function holderOf(server: TestServer, role: Role): Promise<string> {
  const { organization } = server.admin;
  const scope = { level: "organization", organization } as const;
  const { token } = await givenUser(server, organization, [{ scope, roles: [role] }]);
  return token;
}
