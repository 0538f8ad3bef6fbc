import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { PrivateLabelingSetting } from "../../gen/iam/project/v1/project_pb.js";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenProject, givenUser } from "../harness/server.ts";
import { detailsOf, fact } from "./stored.ts";

const { addOrg, addProject } = ManagementService.method;
const denied = { code: 7, reason: "PERMISSION_DENIED" };
const taken = { code: 6, reason: "NAME_TAKEN" };

/** Names that neither organizations nor projects may have. */
const badNames = [
  ["an empty name", ""],
  ["a name of white space", " \u00a0"],
  ["a name of invisible characters", "\u200b"],
  ["a name of 201 characters", "n".repeat(201)],
  ["a name of 201 emoji", "😀".repeat(201)],
  ["a name with U+0000", "a\0b"],
] as const;

const noName = { code: 3, reason: "INVALID_FIELDS", fields: ["name"] };

runCases("AddOrg", [
  organization("creates an organization that owns itself", ({ unique }) => unique),
  organization("takes a name of 200 characters", ({ unique }) => unique.padEnd(200, "n")),
  organization("counts an emoji as one character", ({ unique }) => {
    return unique + "😀".repeat(200 - unique.length);
  }),
  ...badNames.map(([what, name]) =>
    row(`refuses ${what}`, addOrg, () => ({ request: { name }, expected: noName })),
  ),
  row("refuses a name that is taken, in any case", addOrg, async ({ server, unique }) => {
    await givenOrganization(server, `Ａ ${unique}`);
    return { request: { name: `a ${unique.toUpperCase()}` }, expected: taken };
  }),
  row("refuses an owner of an organization", addOrg, async ({ server, unique }) => ({
    request: { name: unique },
    token: await ownerOf(server.admin.organization, server),
    expected: denied,
  })),
  row("ignores the organization header", addOrg, ({ unique }) => ({
    request: { name: unique },
    headers: { "x-service-orgid": `${unique}, ${unique}` },
    expected: { ok: ({ id, details }) => expect(details?.resourceOwner).toBe(id) },
  })),
]);

const settings = {
  projectRoleAssertion: false,
  projectRoleCheck: false,
  hasProjectCheck: false,
  privateLabelingSetting: "UNSPECIFIED",
};
const { ENFORCE_PROJECT_RESOURCE_OWNER_POLICY, ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY } =
  PrivateLabelingSetting;

runCases("AddProject", [
  project("creates a project with the defaults", {}, {}),
  project("stores role assertion", { projectRoleAssertion: true }, { projectRoleAssertion: true }),
  project("stores the role check", { projectRoleCheck: true }, { projectRoleCheck: true }),
  project("stores the project check", { hasProjectCheck: true }, { hasProjectCheck: true }),
  project(
    "stores the branding of the project's organization",
    { privateLabelingSetting: ENFORCE_PROJECT_RESOURCE_OWNER_POLICY },
    { privateLabelingSetting: "ENFORCE_PROJECT_RESOURCE_OWNER_POLICY" },
  ),
  project(
    "stores the branding of the user's organization",
    { privateLabelingSetting: ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY },
    { privateLabelingSetting: "ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY" },
  ),
  project("takes a name of 200 emoji", { name: "😀".repeat(200) }, {}),
  ...badNames.map(([what, name]) =>
    row(`refuses ${what}`, addProject, () => ({ request: { name }, expected: noName })),
  ),
  row("refuses a name that is taken, in any case", addProject, async ({ server, unique }) => {
    await givenProject(server, server.admin.organization, `Ａ ${unique}`);
    return { request: { name: `a ${unique.toUpperCase()}` }, expected: taken };
  }),
  row("refuses an organization where the caller is nobody", addProject, async (world) => ({
    request: { name: world.unique },
    token: await ownerOf(world.server.admin.organization, world.server),
    headers: { "x-service-orgid": await givenOrganization(world.server) },
    expected: denied,
  })),
]);

function organization(title: string, nameOf: (world: World) => string) {
  return row(title, addOrg, (world) => ({
    request: { name: nameOf(world) },
    expected: {
      ok({ id, details }, events) {
        const event = { stream: `org-${id}`, version: 1, type: "org.added", owner: id };
        const actor = world.server.admin.userId;
        expect(events.map(fact)).toEqual([{ ...event, actor, payload: { name: nameOf(world) } }]);
        expect(details).toMatchObject(detailsOf(events));
      },
    },
  }));
}

/** In an organization of its own, so that names are free: the header says which. */
function project(
  title: string,
  given: {
    readonly name?: string;
    readonly projectRoleAssertion?: boolean;
    readonly projectRoleCheck?: boolean;
    readonly hasProjectCheck?: boolean;
    readonly privateLabelingSetting?: PrivateLabelingSetting;
  },
  stored: Partial<typeof settings>,
) {
  return row(title, addProject, async ({ server, unique }) => {
    const owner = await givenOrganization(server);
    const name = given.name ?? unique;
    return {
      request: { ...given, name },
      headers: { "x-service-orgid": owner },
      expected: {
        ok({ id, details }, events) {
          const event = { stream: `project-${id}`, version: 1, type: "project.added" };
          const payload = { name, ...settings, ...stored };
          const actor = server.admin.userId;
          expect(events.map(fact)).toEqual([{ ...event, owner, actor, payload }]);
          expect(details).toMatchObject(detailsOf(events));
        },
      },
    };
  });
}

async function ownerOf(organization: string, server: World["server"]): Promise<string> {
  const scope = { level: "organization", organization } as const;
  const { token } = await givenUser(server, organization, [{ scope, roles: ["ORG_OWNER"] }]);
  return token;
}
