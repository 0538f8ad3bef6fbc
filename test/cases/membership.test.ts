import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect } from "@jest/globals";
import { AuthService } from "../../gen/iam/auth/v1/auth_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { UserGrantState } from "../../gen/iam/user/v1/grant_pb.js";
import type { MembershipQuerySchema } from "../../gen/iam/user/v1/membership_pb.js";
import { Type } from "../../gen/iam/user/v1/user_pb.js";
import { org } from "../../src/domain/org.ts";
import type { Membership, Role } from "../../src/domain/permission.ts";
import { roles } from "../../src/domain/permission.ts";
import { project as projects } from "../../src/domain/project.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenUser } from "../harness/server.ts";
import { givenProjectOf, recorded, someClients } from "./given.ts";
import { givenGrant, givenRole } from "./grants.ts";
import { on } from "./orgs.ts";
import { notFound } from "./users.ts";

// Where somebody has which roles, as others are told and as the caller is.

const { listUserMemberships, getUserByID } = ManagementService.method;
const { getMyUser, listMyUserGrants, listMyProjectPermissions } = AuthService.method;
const { listMyIAMPermissions, listMyMemberships } = AuthService.method;

/** A user of an organization with roles on the instance, there, on a project, and elsewhere. */
async function givenEverywhere({ server, unique }: World) {
  const id = await givenOrganization(server, `Acme ${unique}`);
  const elsewhere = await givenOrganization(server, `Other ${unique}`);
  const project = await givenProjectOf(server, id, { name: "Shop" });
  const memberships: readonly Membership[] = [
    { scope: { level: "instance" }, roles: ["IAM_OWNER_VIEWER"] },
    { scope: { level: "organization", organization: id }, roles: ["ORG_USER_MANAGER"] },
    { scope: { level: "project", organization: id, project }, roles: ["PROJECT_OWNER"] },
    { scope: { level: "organization", organization: elsewhere }, roles: ["ORG_SETTINGS_MANAGER"] },
  ];
  const { userId, token } = await givenUser(server, id, memberships);
  return { id, elsewhere, project, userId, token };
}

type Given = Awaited<ReturnType<typeof givenEverywhere>>;
type Query = NonNullable<MessageInitShape<typeof MembershipQuerySchema>["query"]>;

const names = ({ unique }: World) => ({
  home: `Acme ${unique}`,
  project: "Shop",
  elsewhere: `Other ${unique}`,
  instance: "",
});
type Place = keyof ReturnType<typeof names>;

const asked: readonly (readonly [string, (given: Given) => readonly Query[], readonly Place[]])[] =
  [
    ["all, the newest first", () => [], ["elsewhere", "project", "home", "instance"]],
    ["that in an organization", ({ id }) => [{ case: "orgQuery", value: { orgId: id } }], ["home"]],
    [
      "that on a project",
      ({ project }) => [{ case: "projectQuery", value: { projectId: project } }],
      ["project"],
    ],
    [
      "none by a grant of a project",
      () => [{ case: "projectGrantQuery", value: { projectGrantId: "1" } }],
      [],
    ],
    ["that on the instance", () => [{ case: "iamQuery", value: { iam: true } }], ["instance"]],
    [
      "those elsewhere",
      () => [{ case: "iamQuery", value: { iam: false } }],
      ["elsewhere", "project", "home"],
    ],
    [
      "what meets every condition",
      ({ id, project }) => [
        { case: "orgQuery", value: { orgId: id } },
        { case: "projectQuery", value: { projectId: project } },
      ],
      [],
    ],
  ];

runCases("ListMyMemberships", [
  ...asked.map(([name, queries, expected]) =>
    row(
      `finds ${name}`,
      listMyMemberships,
      async (world) => {
        const given = await givenEverywhere(world);
        const places = names(world);
        return {
          request: { queries: queries(given).map((query) => ({ query })) },
          token: given.token,
          expected: {
            ok({ result, details }) {
              expect(result.map(({ displayName }) => displayName)).toEqual(
                expected.map((place) => places[place]),
              );
              expect(details?.totalResult).toBe(BigInt(expected.length));
            },
          },
        };
      },
      someClients,
    ),
  ),
  row("shows roles, places and times", listMyMemberships, async (world) => {
    const { id, project, userId, token } = await givenEverywhere(world);
    const events = await world.server.store.readStream(`user-${userId}`, 0, 9);
    const date = timestampFromMs(events[0]!.timeMs);
    const times = { creationDate: date, changeDate: date, sequence: events.at(-1)!.position };
    return {
      request: { query: { asc: true, limit: 3 } },
      token,
      expected: {
        ok: ({ result }) =>
          expect(result).toMatchObject([
            {
              ...{ userId, roles: ["IAM_OWNER_VIEWER"], type: { case: "iam", value: true } },
              details: { ...times, resourceOwner: "" },
            },
            {
              ...{ roles: ["ORG_USER_MANAGER"], type: { case: "orgId", value: id } },
              details: { ...times, resourceOwner: id },
            },
            { roles: ["PROJECT_OWNER"], type: { case: "projectId", value: project } },
          ]),
      },
    };
  }),
  row("leaves out what was removed", listMyMemberships, async (world) => {
    const { id, elsewhere, project, token } = await givenEverywhere(world);
    await recorded(world.server, projects, id, [{ type: "project.removed", payload: {} }], project);
    const removed = { type: "org.removed", payload: {} } as const;
    await recorded(world.server, org, elsewhere, [removed], elsewhere);
    const { home, instance } = names(world);
    return {
      request: {},
      token,
      expected: {
        ok: ({ result }) =>
          expect(result.map(({ displayName }) => displayName)).toEqual([home, instance]),
      },
    };
  }),
]);

/** Callers by their roles, and what each is told of a user with roles everywhere. */
const told: readonly (readonly [Role | "both", readonly Place[]])[] = [
  ["IAM_OWNER", ["elsewhere", "project", "home", "instance"]],
  ["IAM_OWNER_VIEWER", ["elsewhere", "project", "home", "instance"]],
  ["ORG_OWNER", ["project", "home"]],
  ["ORG_OWNER_VIEWER", ["project", "home"]],
  ["ORG_USER_MANAGER", ["project", "home"]],
  ["both", ["elsewhere", "project", "home"]],
];

runCases("ListUserMemberships", [
  ...told.map(([role, expected]) =>
    row(`tells ${role} of the places where it may ask`, listUserMemberships, async (world) => {
      const { id, elsewhere, userId } = await givenEverywhere(world);
      const at = (organization: string) => ({ level: "organization", organization }) as const;
      const owning = { scope: at(elsewhere), roles: ["ORG_OWNER"] } as const;
      const own = role === "both" ? "ORG_OWNER" : role;
      const scope = roles[own].level === "instance" ? ({ level: "instance" } as const) : at(id);
      const held = [{ scope, roles: [own] }, ...(role === "both" ? [owning] : [])];
      const { token } = await givenUser(world.server, id, held);
      const places = names(world);
      return {
        request: { userId },
        token,
        expected: {
          ok({ result, details }) {
            expect(result.map(({ displayName }) => displayName)).toEqual(
              expected.map((place) => places[place]),
            );
            expect(details?.totalResult).toBe(BigInt(expected.length));
          },
        },
      };
    }),
  ),
  row("knows no user of another organization", listUserMemberships, async (world) => {
    const { elsewhere, userId } = await givenEverywhere(world);
    return { request: { userId }, headers: on(elsewhere), expected: notFound };
  }),
]);

runCases("what callers are told of themselves", [
  row("who they are, as others are told", getMyUser, async (world) => {
    const { id, userId, token } = await givenEverywhere(world);
    const scope = { level: "organization", organization: id } as const;
    const { token: reader } = await givenUser(world.server, id, [{ scope, roles: ["ORG_OWNER"] }]);
    const others = await world.call(getUserByID, { id: userId }, reader);
    return {
      request: {},
      token,
      expected: {
        ok({ user, lastLogin }) {
          expect(others).toMatchObject({ ok: true, message: { user } });
          expect(user?.id).toBe(userId);
          expect(lastLogin).toBeUndefined();
        },
      },
    };
  }),
  row("which roles of projects they hold", listMyUserGrants, async (world) => {
    const { server, unique } = world;
    const { id, project, userId, token } = await givenEverywhere(world);
    const role = await givenRole(server, id, project, { key: "editor" });
    const grantId = await givenGrant(server, id, {
      ...{ userId, projectId: project, roleIds: [role], userType: "MACHINE" },
    });
    const { userId: other } = await givenUser(server, id);
    await givenGrant(server, id, {
      ...{ userId: other, projectId: project, roleIds: [role], userType: "MACHINE" },
    });
    return {
      request: {},
      token,
      expected: {
        ok({ result, details }) {
          expect(result).toMatchObject([
            {
              ...{ grantId, userId, orgId: id, orgName: `Acme ${unique}`, orgDomain: "" },
              ...{ projectId: project, projectName: "Shop", projectGrantId: "" },
              ...{ roles: ["editor"], roleKeys: ["editor"], userType: Type.MACHINE },
              ...{ state: UserGrantState.ACTIVE, details: { resourceOwner: id } },
            },
          ]);
          expect(details?.totalResult).toBe(1n);
        },
      },
    };
  }),
  row("no roles of a project by a token of none", listMyProjectPermissions, async (world) => ({
    request: {},
    token: (await givenEverywhere(world)).token,
    expected: { ok: ({ result }) => expect(result).toEqual([]) },
  })),
  row("what they may do, and where", listMyIAMPermissions, async (world) => {
    const { server } = world;
    const id = await givenOrganization(server);
    const elsewhere = await givenOrganization(server);
    const gone = await givenOrganization(server);
    const project = await givenProjectOf(server, id);
    const at = (organization: string) => ({ level: "organization", organization }) as const;
    const { token } = await givenUser(server, id, [
      { scope: { ...at(id), level: "project", project }, roles: ["PROJECT_OWNER"] },
      { scope: at(id), roles: ["ORG_USER_PERMISSION_EDITOR"] },
      { scope: at(elsewhere), roles: ["ORG_SETTINGS_MANAGER"] },
      { scope: at(gone), roles: ["ORG_OWNER"] },
    ]);
    await recorded(server, org, gone, [{ type: "org.removed", payload: {} }], gone);
    const { permissions } = roles.ORG_USER_PERMISSION_EDITOR;
    const onProject = roles.PROJECT_OWNER.permissions.filter((one) => one !== "project.role.read");
    return {
      request: {},
      token,
      expected: {
        ok: ({ result }) =>
          expect(result.toSorted()).toEqual(
            [
              ...permissions,
              ...onProject.map((one) => `${one}:${project}`),
              ...["org.idp.read", "org.idp.write"].map((one) => `${one}:${elsewhere}`),
            ].toSorted(),
          ),
      },
    };
  }),
]);
