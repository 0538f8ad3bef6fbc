import type { MessageInitShape } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { type UserGrantQuerySchema, UserGrantState } from "../../gen/iam/user/v1/grant_pb.js";
import { Type } from "../../gen/iam/user/v1/user_pb.js";
import { TextQueryMethod } from "../../gen/iam/v1/search_pb.js";
import { grantQueryLimits } from "../../src/api/user/grant-query.ts";
import { project as projects } from "../../src/domain/project.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenUser } from "../harness/server.ts";
import {
  detailsJson,
  eventsOf,
  givenProjectOf,
  oneClient,
  recorded,
  someClients,
} from "./given.ts";
import { givenGrant, givenRole } from "./grants.ts";
import { on } from "./orgs.ts";
import { ada, givenHuman } from "./users.ts";

// Lists of grants: each case has an organization of its own.

const { getUserGrantByID, listUserGrants } = ManagementService.method;

/** An organization in which Ada, Grace and a robot hold roles of two projects. */
async function givenGrants({ server, unique }: World) {
  const name = `Acme ${unique}`;
  const id = await givenOrganization(server, name);
  const [shop, wiki] = [
    await givenProjectOf(server, id, { name: "Shop" }),
    await givenProjectOf(server, id, { name: "Wiki" }),
  ];
  const [editor, reader, owner] = [
    await givenRole(server, id, shop, { key: "editor" }),
    await givenRole(server, id, shop, { key: "reader" }),
    await givenRole(server, id, wiki, { key: "owner" }),
  ];
  const first = await givenHuman(server, id, { userName: `ada ${unique}` });
  const grace = { firstName: "Grace", lastName: "Hopper", displayName: "Grace H." };
  const second = await givenHuman(server, id, {
    ...{ ...grace, userName: `grace ${unique}`, email: "grace@example.com" },
  });
  const { userId: robot } = await givenUser(server, id);
  const give = (
    userId: string,
    projectId: string,
    roleIds: readonly string[],
    userType = "HUMAN",
  ) => givenGrant(server, id, { userId, projectId, roleIds, userType: userType as "HUMAN" });
  const grants = {
    "ada shop": await give(first, shop, [editor, reader]),
    "ada wiki": await give(first, wiki, [owner]),
    "grace shop": await give(second, shop, [reader]),
    "robot wiki": await give(robot, wiki, [owner], "MACHINE"),
  };
  return { id, name, shop, wiki, first, grants };
}

type Given = Awaited<ReturnType<typeof givenGrants>>;
type Query = NonNullable<MessageInitShape<typeof UserGrantQuerySchema>["query"]>;

const { EQUALS, EQUALS_IGNORE_CASE, STARTS_WITH, CONTAINS } = TextQueryMethod;
const all = ["robot wiki", "grace shop", "ada wiki", "ada shop"];
const ofAda = ["ada wiki", "ada shop"];
const inShop = ["grace shop", "ada shop"];

const rows: readonly (readonly [string, (given: Given) => readonly Query[], readonly string[]])[] =
  [
    ["all, the newest first", () => [], all],
    ["by project", ({ shop }) => [{ case: "projectIdQuery", value: { projectId: shop } }], inShop],
    ["by user", ({ first }) => [{ case: "userIdQuery", value: { userId: first } }], ofAda],
    [
      "with those of granted projects",
      () => [{ case: "withGrantedQuery", value: { withGranted: true } }],
      all,
    ],
    [
      "by the key of a role",
      () => [{ case: "roleKeyQuery", value: { roleKey: "reader", method: EQUALS } }],
      inShop,
    ],
    [
      "by keys of roles that are alike",
      () => [
        {
          case: "roleKeyQuery",
          value: { roleKey: "E", method: TextQueryMethod.STARTS_WITH_IGNORE_CASE },
        },
      ],
      ["ada shop"],
    ],
    [
      "by a grant of the project",
      () => [{ case: "projectGrantIdQuery", value: { projectGrantId: "1" } }],
      [],
    ],
    [
      "by user name",
      () => [{ case: "userNameQuery", value: { userName: "ada", method: STARTS_WITH } }],
      ofAda,
    ],
    [
      "by first name",
      () => [{ case: "firstNameQuery", value: { firstName: "Ada", method: EQUALS } }],
      ofAda,
    ],
    [
      "by last name",
      () => [{ case: "lastNameQuery", value: { lastName: "oppe", method: CONTAINS } }],
      ["grace shop"],
    ],
    [
      "by e-mail address",
      () => [{ case: "emailQuery", value: { email: ada.email, method: EQUALS } }],
      ofAda,
    ],
    [
      "by display name",
      () => [
        {
          case: "displayNameQuery",
          value: { displayName: "grace h.", method: EQUALS_IGNORE_CASE },
        },
      ],
      ["grace shop"],
    ],
    [
      "by the name of the organization",
      ({ name }) => [{ case: "orgNameQuery", value: { orgName: name, method: EQUALS } }],
      all,
    ],
    [
      "by the name of another",
      () => [{ case: "orgNameQuery", value: { orgName: "Other", method: EQUALS } }],
      [],
    ],
    [
      "by domain",
      () => [{ case: "orgDomainQuery", value: { orgDomain: "a", method: CONTAINS } }],
      [],
    ],
    [
      "by the name of the project",
      () => [{ case: "projectNameQuery", value: { projectName: "Wi", method: STARTS_WITH } }],
      ["robot wiki", "ada wiki"],
    ],
    [
      "people",
      () => [{ case: "userTypeQuery", value: { type: Type.HUMAN } }],
      ["grace shop", ...ofAda],
    ],
    ["machines", () => [{ case: "userTypeQuery", value: { type: Type.MACHINE } }], ["robot wiki"]],
    [
      "what meets every condition",
      ({ shop, first }) => [
        { case: "projectIdQuery", value: { projectId: shop } },
        { case: "userIdQuery", value: { userId: first } },
        { case: "roleKeyQuery", value: { roleKey: "editor", method: EQUALS } },
      ],
      ["ada shop"],
    ],
  ];

runCases(
  "ListUserGrants",
  rows.map(([name, queries, expected]) =>
    row(
      `finds ${name}`,
      listUserGrants,
      async (world) => {
        const given = await givenGrants(world);
        const names = new Map(Object.entries(given.grants).map(([called, id]) => [id, called]));
        return {
          request: { queries: queries(given).map((query) => ({ query })) },
          headers: on(given.id),
          expected: {
            ok({ result, details }) {
              expect(result.map(({ id }) => names.get(id))).toEqual(expected);
              expect(details?.totalResult).toBe(BigInt(expected.length));
            },
          },
        };
      },
      someClients,
    ),
  ),
);

runCases("ListUserGrants, further", [
  row("shows what each rests on", getUserGrantByID, async (world) => {
    const { server, unique } = world;
    const { id, name, shop, first, grants } = await givenGrants(world);
    const grantId = grants["ada shop"];
    return {
      request: { userId: first, grantId },
      headers: on(id),
      expected: {
        async ok({ userGrant }) {
          const details = detailsJson(await eventsOf(server, `grant-${grantId}`));
          expect(userGrant?.details?.sequence).toBe(BigInt(details.sequence));
          expect(userGrant).toMatchObject({
            ...{ id: grantId, roleKeys: ["editor", "reader"], state: UserGrantState.ACTIVE },
            ...{ userId: first, userName: `ada ${unique}`, firstName: "Ada", lastName: "Lovelace" },
            ...{ email: ada.email, displayName: "Ada Lovelace", userType: Type.HUMAN },
            ...{ orgId: id, orgName: name, orgDomain: "", projectId: shop, projectName: "Shop" },
            ...{ projectGrantId: "", avatarUrl: "", preferredLoginName: `ada ${unique}` },
            ...{ grantedOrgId: id, grantedOrgName: name, grantedOrgDomain: "" },
          });
        },
      },
    };
  }),
  row("leaves out what rests on a project that was removed", listUserGrants, async (world) => {
    const { server } = world;
    const { id, shop } = await givenGrants(world);
    await recorded(server, projects, id, [{ type: "project.removed", payload: {} }], shop);
    return {
      request: {},
      headers: on(id),
      expected: {
        ok: ({ result }) =>
          expect(result.map(({ projectName }) => projectName)).toEqual(["Wiki", "Wiki"]),
      },
    };
  }),
  ...(
    [
      [grantQueryLimits.joined, undefined],
      [grantQueryLimits.joined + 1, { code: 8, reason: "SEARCH_TOO_LONG" }],
    ] as const
  ).map(([count, refused]) =>
    row(
      `a condition that finds ${count} users is ${refused === undefined ? "read" : "refused"}`,
      listUserGrants,
      async (world) => {
        const { server } = world;
        const { id } = await givenGrants(world);
        // Two of them are there already.
        const more = Array.from({ length: count - 2 }, () => givenHuman(server, id));
        await Promise.all(more);
        const value = { email: "@example.com", method: TextQueryMethod.ENDS_WITH };
        return {
          request: { queries: [{ query: { case: "emailQuery" as const, value } }] },
          headers: on(id),
          expected: refused ?? { ok: ({ result }) => expect(result).toHaveLength(3) },
        };
      },
      oneClient,
    ),
  ),
  ...(
    [
      [grantQueryLimits.searches, undefined],
      [grantQueryLimits.searches + 1, { code: 8, reason: "SEARCH_TOO_LONG" }],
    ] as const
  ).map(([count, refused]) =>
    row(
      `many searches in one: ${count} conditions on users are ${refused === undefined ? "read" : "refused"}`,
      listUserGrants,
      async (world) => {
        const { id } = await givenGrants(world);
        const value = { email: "@example.com", method: TextQueryMethod.ENDS_WITH };
        const ofUser = { query: { case: "emailQuery" as const, value } };
        // Conditions on the grants themselves take no search.
        const own = { query: { case: "withGrantedQuery" as const, value: { withGranted: true } } };
        return {
          request: { queries: [...Array(count).fill(ofUser), ...Array(100 - count).fill(own)] },
          headers: on(id),
          expected: refused ?? { ok: ({ result }) => expect(result).toHaveLength(3) },
        };
      },
    ),
  ),
]);
