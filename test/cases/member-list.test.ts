import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { SearchQuerySchema } from "../../gen/iam/member/v1/member_pb.js";
import { Type } from "../../gen/iam/user/v1/user_pb.js";
import { TextQueryMethod } from "../../gen/iam/v1/search_pb.js";
import { memberQueryLimits } from "../../src/api/user/member-read.ts";
import { org } from "../../src/domain/org.ts";
import type { Role, Scope } from "../../src/domain/permission.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenProject, givenUser } from "../harness/server.ts";
import { oneClient, recorded, someClients } from "./given.ts";
import { on } from "./orgs.ts";
import { ada, change, denied, givenHuman, happen } from "./users.ts";

// Who has which roles: each case has an organization of its own.

const { listOrgMembers, listProjectMembers } = ManagementService.method;

const { fromBeyond } = memberQueryLimits;
const grace = { firstName: "Grace", lastName: "Hopper", displayName: "Grace H." };

/** An organization with two people, a robot from elsewhere, and others who are no members. */
async function givenMembers({ server, unique }: World) {
  const id = await givenOrganization(server);
  const elsewhere = await givenOrganization(server);
  const project = await givenProject(server, id);
  const inOrg: Scope = { level: "organization", organization: id };
  const onProject: Scope = { level: "project", organization: id, project };
  const join = (scope: Scope, role: Role) =>
    ({ type: "user.membership.granted", payload: { scope, roles: [role] } }) as const;
  const members = {
    ada: await givenHuman(server, id, { userName: `ada ${unique}` }, [join(inOrg, "ORG_OWNER")]),
    grace: await givenHuman(
      server,
      id,
      { ...grace, userName: `grace ${unique}`, email: "grace@example.com" },
      [join(inOrg, "ORG_USER_MANAGER"), join(onProject, "PROJECT_OWNER")],
    ),
    // Of the same name as somebody of this organization.
    eve: await givenHuman(server, elsewhere, { userName: `eve ${unique}` }, [
      join(inOrg, "ORG_OWNER_VIEWER"),
    ]),
    robot: (await givenUser(server, elsewhere, [{ scope: inOrg, roles: ["ORG_OWNER_VIEWER"] }]))
      .userId,
  };
  await givenHuman(server, id, {}, [join(onProject, "PROJECT_OWNER")]);
  await givenHuman(server, id);
  const far: Scope = { level: "organization", organization: elsewhere };
  await givenUser(server, id, [{ scope: far, roles: ["ORG_OWNER"] }]);
  return { id, elsewhere, project, members, join, inOrg };
}

type Given = Awaited<ReturnType<typeof givenMembers>>;
type Query = NonNullable<MessageInitShape<typeof SearchQuerySchema>["query"]>;
const { EQUALS, EQUALS_IGNORE_CASE, STARTS_WITH, CONTAINS } = TextQueryMethod;
const all = ["robot", "eve", "grace", "ada"];

const queries: readonly (readonly [
  string,
  (given: Given) => readonly Query[],
  readonly string[],
])[] = [
  ["all, the newest first", () => [], all],
  [
    "by first name",
    () => [{ case: "firstNameQuery", value: { firstName: "ada", method: EQUALS_IGNORE_CASE } }],
    ["eve", "ada"],
  ],
  [
    "by last name",
    () => [{ case: "lastNameQuery", value: { lastName: "oppe", method: CONTAINS } }],
    ["grace"],
  ],
  [
    "by e-mail address",
    () => [{ case: "emailQuery", value: { email: "grace@", method: STARTS_WITH } }],
    ["grace"],
  ],
  [
    "by user",
    ({ members }) => [{ case: "userIdQuery", value: { userId: members.robot } }],
    ["robot"],
  ],
  [
    "what meets every condition",
    ({ members }) => [
      { case: "userIdQuery", value: { userId: members.ada } },
      { case: "emailQuery", value: { email: "grace@example.com", method: EQUALS } },
    ],
    [],
  ],
];

const finding = queries.map(([name, asked, expected]) =>
  row(
    `finds ${name}`,
    listOrgMembers,
    async (world) => {
      const given = await givenMembers(world);
      return {
        request: { queries: asked(given).map((query) => ({ query })) },
        headers: on(given.id),
        expected: {
          ok({ result, details }) {
            expect(result.map(({ userId }) => nameIn(given, userId))).toEqual(expected);
            expect(details?.totalResult).toBe(BigInt(expected.length));
          },
        },
      };
    },
    someClients,
  ),
);

const nameIn = ({ members }: Given, userId: string) =>
  Object.entries(members).find(([, id]) => id === userId)?.[0];

runCases("members of organizations", [
  ...finding,
  row("shows who a member is, and since when", listOrgMembers, async (world) => {
    const given = await givenMembers(world);
    const { id, members, inOrg } = given;
    const payload = { scope: inOrg, roles: ["ORG_OWNER", "ORG_SETTINGS_MANAGER"] as const };
    await happen(world.server, [{ type: "user.membership.changed", payload }], { id: members.ada });
    const events = await world.server.store.readStream(`user-${members.ada}`, 0, 9);
    return {
      request: {},
      headers: on(id),
      expected: {
        ok({ result }) {
          const [robot, , , first] = result;
          const name = `ada ${world.unique}`;
          expect(first).toMatchObject({
            ...{ userId: members.ada, roles: ["ORG_OWNER", "ORG_SETTINGS_MANAGER"] },
            ...{ preferredLoginName: name, email: ada.email, firstName: "Ada" },
            ...{ lastName: "Lovelace", displayName: "Ada Lovelace", avatarUrl: "" },
            ...{ userType: Type.HUMAN, userResourceOwner: id },
            details: {
              sequence: events.at(-1)!.position,
              creationDate: timestampFromMs(events[1]!.timeMs),
              changeDate: timestampFromMs(events[2]!.timeMs),
              resourceOwner: id,
            },
          });
          expect(robot).toMatchObject({
            ...{ userId: members.robot, email: "", firstName: "", displayName: members.robot },
            ...{ userType: Type.MACHINE, userResourceOwner: given.elsewhere },
          });
        },
      },
    };
  }),
  row("has pages", listOrgMembers, async (world) => {
    const given = await givenMembers(world);
    const scope = { level: "organization", organization: given.id } as const;
    const { token } = await givenUser(world.server, given.id, [{ scope, roles: ["ORG_OWNER"] }]);
    return {
      request: { query: { limit: 4, asc: true } },
      token,
      expected: {
        async ok({ result, details }) {
          expect(result.map(({ userId }) => nameIn(given, userId))).toEqual(all.toReversed());
          const pageToken = details!.nextPageToken;
          const next = await world.call(
            listOrgMembers,
            { query: { limit: 4, asc: true, pageToken } },
            token,
          );
          expect(next).toMatchObject({ ok: true, message: { result: [{ roles: ["ORG_OWNER"] }] } });
        },
      },
    };
  }),
  ...([0, 1] as const).map((more) =>
    row(
      `finds those of other organizations, ${fromBeyond + more} of them`,
      listOrgMembers,
      async (world) => {
        const { server } = world;
        const { id, elsewhere, members, inOrg, join } = await givenMembers(world);
        // Two of them are there already.
        for (let left = fromBeyond + more - 2; left > 0; left -= 50) {
          const some = Array.from({ length: Math.min(left, 50) }, () =>
            givenHuman(server, elsewhere, { firstName: "Ann" }, [join(inOrg, "ORG_OWNER_VIEWER")]),
          );
          await Promise.all(some);
        }
        const value = { firstName: "Ada", method: EQUALS };
        return {
          request: { queries: [{ query: { case: "firstNameQuery" as const, value } }] },
          headers: on(id),
          expected: {
            ok: ({ result }) =>
              expect(result.map(({ userId }) => userId)).toEqual([members.eve, members.ada]),
          },
        };
      },
      oneClient,
    ),
  ),
  row("has no people who were removed, alone or with all others", listOrgMembers, async (world) => {
    const given = await givenMembers(world);
    await happen(world.server, [change("user.removed")], { id: given.members.grace });
    const removed = { type: "org.removed", payload: {} } as const;
    await recorded(world.server, org, given.elsewhere, [removed], given.elsewhere);
    return {
      request: {},
      headers: on(given.id),
      expected: {
        ok: ({ result }) =>
          expect(result.map(({ userId }) => nameIn(given, userId))).toEqual(["ada"]),
      },
    };
  }),
]);

runCases("members of projects", [
  row("are those of the project alone", listProjectMembers, async (world) => {
    const given = await givenMembers(world);
    return {
      request: {
        projectId: given.project,
        queries: [{ query: { case: "firstNameQuery" as const, value: { firstName: "Grace" } } }],
      },
      headers: on(given.id),
      expected: {
        async ok({ result }) {
          expect(result).toMatchObject([{ userId: given.members.grace, roles: ["PROJECT_OWNER"] }]);
        },
      },
    };
  }),
  row("are shown to who owns the project", listProjectMembers, async (world) => {
    const { id, project } = await givenMembers(world);
    const scope: Scope = { level: "project", organization: id, project };
    const { token } = await givenUser(world.server, id, [{ scope, roles: ["PROJECT_OWNER"] }]);
    expect(await world.call(listOrgMembers, {}, token)).toMatchObject({ ok: false, ...denied });
    return {
      request: { projectId: project },
      token,
      expected: { ok: ({ result }) => expect(result).toHaveLength(3) },
    };
  }),
  row("are not told of a project elsewhere", listProjectMembers, async (world) => {
    const { project, elsewhere } = await givenMembers(world);
    return {
      request: { projectId: project },
      headers: on(elsewhere),
      expected: { code: 5, reason: "PROJECT_NOT_FOUND" },
    };
  }),
]);
