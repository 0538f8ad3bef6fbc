import { randomBytes } from "node:crypto";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { Role, Scope } from "../../src/domain/permission.ts";
import { createToken } from "../../src/secrets/tokens.ts";
import { row, runCases } from "../harness/cases.ts";
import { givenOrganization, givenProject, givenUser, type TestServer } from "../harness/server.ts";

// The matrix covers who may do what; these rows show that every protocol says it alike.

const { addAPIApp, addOrgMember, addPersonalAccessToken, addProject, removePersonalAccessToken } =
  ManagementService.method;
const { addIAMMember } = AdminService.method;

const denied = { code: 7, reason: "PERMISSION_DENIED" } as const;
const unauthenticated = { code: 16, reason: "UNAUTHENTICATED" } as const;

async function holderOf(server: TestServer, role: Role, scope: Scope): Promise<string> {
  const { organization } = server.admin;
  return (await givenUser(server, organization, [{ scope, roles: [role] }])).token;
}

runCases("access", [
  row("refuses a call without a token", addProject, ({ unique }) => ({
    request: { name: unique },
    token: "",
    expected: unauthenticated,
  })),
  row("refuses a token that nobody has", addProject, ({ unique }) => ({
    request: { name: unique },
    token: createToken(randomBytes),
    expected: unauthenticated,
  })),
  row("refuses a truncated token", addProject, ({ unique, server }) => ({
    request: { name: unique },
    token: server.admin.token.slice(0, -1),
    expected: unauthenticated,
  })),
  row("refuses a caller without a role before the fields", addProject, async ({ server }) => ({
    request: { name: "" },
    token: (await givenUser(server, server.admin.organization)).token,
    expected: denied,
  })),
  row("refuses an instance method to an owner of the organization", addIAMMember, async (world) => {
    const { organization, userId } = world.server.admin;
    const scope = { level: "organization", organization } as const;
    return {
      request: { userId, roles: ["IAM_OWNER"] },
      token: await holderOf(world.server, "ORG_OWNER", scope),
      expected: denied,
    };
  }),
  row("refuses an unknown organization", addProject, ({ unique }) => ({
    request: { name: unique },
    headers: { "x-service-orgid": unique },
    expected: denied,
  })),
  row("refuses the organization of others", addProject, async ({ server, unique }) => {
    const { organization } = server.admin;
    return {
      request: { name: unique },
      token: await holderOf(server, "ORG_OWNER", { level: "organization", organization }),
      headers: { "x-service-orgid": await givenOrganization(server) },
      expected: denied,
    };
  }),
  row("refuses two organizations", addProject, ({ unique, server }) => ({
    request: { name: unique },
    headers: { "x-service-orgid": `${server.admin.organization}, ${unique}` },
    expected: { code: 3, reason: "ORGANIZATION_HEADER_REPEATED" },
  })),
  row("refuses a project of others as unknown", addAPIApp, async ({ server, unique }) => ({
    request: {
      projectId: await givenProject(server, await givenOrganization(server)),
      name: unique,
    },
    expected: { code: 5, reason: "PROJECT_NOT_FOUND" },
  })),
  row("refuses another project to a project's owner", addAPIApp, async (world) => {
    const { server, project, unique } = world;
    const { organization } = server.admin;
    const other = await givenProject(server, organization);
    const scope = { level: "project", organization, project: other } as const;
    return {
      request: { projectId: project, name: unique },
      token: await holderOf(server, "PROJECT_OWNER", scope),
      expected: denied,
    };
  }),
  row("refuses a user of others as unknown", addPersonalAccessToken, async ({ server }) => ({
    request: { userId: (await givenUser(server, await givenOrganization(server))).userId },
    expected: { code: 5, reason: "USER_NOT_FOUND" },
  })),
  row("refuses an unknown token", removePersonalAccessToken, async ({ server, unique }) => {
    const { userId } = await givenUser(server, server.admin.organization);
    return {
      request: { userId, tokenId: unique },
      expected: { code: 5, reason: "TOKEN_NOT_FOUND" },
    };
  }),
  row("refuses to act on one who holds more", addPersonalAccessToken, async ({ server }) => {
    const { organization, userId } = server.admin;
    return {
      request: { userId },
      token: await holderOf(server, "ORG_OWNER", { level: "organization", organization }),
      expected: { code: 7, reason: "ESCALATION_DENIED" },
    };
  }),
  row("refuses to make somebody a member twice", addOrgMember, async ({ server }) => {
    const { organization } = server.admin;
    const scope = { level: "organization", organization } as const;
    const { userId } = await givenUser(server, organization, [{ scope, roles: ["ORG_OWNER"] }]);
    return {
      request: { userId, roles: ["ORG_OWNER_VIEWER"] },
      expected: { code: 6, reason: "MEMBER_EXISTS" },
    };
  }),
]);
