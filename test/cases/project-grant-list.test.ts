import type { MessageInitShape } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import {
  type ProjectGrantQuerySchema,
  ProjectGrantState,
} from "../../gen/iam/project/v1/project_grant_pb.js";
import type { ProjectQuerySchema } from "../../gen/iam/project/v1/project_pb.js";
import { TextQueryMethod } from "../../gen/iam/v1/search_pb.js";
import { row, runCases } from "../harness/cases.ts";
import { detailsJson, eventsOf, someClients } from "./given.ts";
import { givenGroup, givenGroupGrant, joined } from "./groups.ts";
import { on, recordedOrg } from "./orgs.ts";
import { givenHuman } from "./users.ts";
import { givenVendor, type Vendor } from "./vendor.ts";

// Lists of granted projects: each case has organizations of its own.

const { listGrantedProjects, listProjectGrants } = ManagementService.method;
const { EQUALS, STARTS_WITH } = TextQueryMethod;

type Query = NonNullable<MessageInitShape<typeof ProjectGrantQuerySchema>["query"]>;
type GrantedQuery = NonNullable<MessageInitShape<typeof ProjectQuerySchema>["query"]>;

const namesIn = ({ grants }: Vendor, result: readonly { readonly grantId: string }[]) => {
  const names = new Map(Object.entries(grants).map(([name, id]) => [id, name]));
  return result.map(({ grantId }) => names.get(grantId));
};

const ofRole = (roleKey: string, method = EQUALS): Query => ({
  ...({ case: "roleKeyQuery", value: { roleKey, method } } as const),
});
const ofProject = (name: string, method = EQUALS): Query => ({
  ...({ case: "projectNameQuery", value: { name, method } } as const),
});

runCases(
  "ListProjectGrants",
  (
    [
      ["all, the newest first", [], ["shop to beta", "shop to acme"]],
      ["by the key of a role", [ofRole("editor")], ["shop to acme"]],
      ["by keys that are alike", [ofRole("re", STARTS_WITH)], ["shop to beta", "shop to acme"]],
      ["by the name of the project", [ofProject("Shop")], ["shop to beta", "shop to acme"]],
      ["none by the name of another", [ofProject("Wiki")], []],
      ["what meets every condition", [ofProject("Shop"), ofRole("editor")], ["shop to acme"]],
    ] as const
  ).map(([name, queries, expected]) =>
    row(
      `finds ${name}`,
      listProjectGrants,
      async (world) => {
        const given = await givenVendor(world);
        return {
          request: { projectId: given.shop, queries: queries.map((query) => ({ query })) },
          headers: on(given.vendor),
          expected: {
            ok({ result, details }) {
              expect(namesIn(given, result)).toEqual(expected);
              expect(details?.totalResult).toBe(BigInt(expected.length));
            },
          },
        };
      },
      someClients,
    ),
  ),
);

runCases("ListProjectGrants, further", [
  row("shows roles and the number of users, and nobody", listProjectGrants, async (world) => {
    const { server, unique } = world;
    const given = await givenVendor(world);
    return {
      request: { projectId: given.shop, query: { asc: true, limit: 1 } },
      headers: on(given.vendor),
      expected: {
        async ok({ result: [shown] }) {
          const stream = `projectGrant-${given.grants["shop to acme"]}`;
          const details = detailsJson(await eventsOf(server, stream));
          expect(shown?.details?.sequence).toBe(BigInt(details.sequence));
          expect(shown).toMatchObject({
            ...{ grantedOrgId: given.acme, grantedOrgName: `Acme ${unique}`, users: 1n },
            ...{ grantedRoleKeys: ["editor", "reader"], state: ProjectGrantState.ACTIVE },
            ...{ projectId: given.shop, projectName: "Shop" },
            ...{ projectOwnerId: given.vendor, projectOwnerName: `Vendor ${unique}` },
          });
          expect(JSON.stringify(shown, (_, value) => String(value))).not.toContain(given.userId);
        },
      },
    };
  }),
  row("counts a group once, and not its members", listProjectGrants, async (world) => {
    const { server } = world;
    const { vendor, acme, shop, grants } = await givenVendor(world);
    const groupId = await givenGroup(server, acme);
    for (const _ of [1, 2]) await joined(server, acme, await givenHuman(server, acme), groupId);
    const projectGrantId = grants["shop to acme"];
    await givenGroupGrant(server, acme, { groupId, projectId: shop, roleIds: [], projectGrantId });
    return {
      request: { projectId: shop, query: { asc: true, limit: 1 } },
      headers: on(vendor),
      expected: { ok: ({ result: [shown] }) => expect(shown?.users).toBe(2n) },
    };
  }),
  row("leaves out an organization that was removed", listProjectGrants, async (world) => {
    const given = await givenVendor(world);
    await recordedOrg(world.server, given.acme, { type: "org.removed", payload: {} });
    return {
      request: { projectId: given.shop },
      headers: on(given.vendor),
      expected: { ok: ({ result }) => expect(namesIn(given, result)).toEqual(["shop to beta"]) },
    };
  }),
  row("knows no project of another organization", listProjectGrants, async (world) => {
    const given = await givenVendor(world);
    return {
      request: { projectId: given.shop },
      headers: on(given.acme),
      expected: { code: 5, reason: "PROJECT_NOT_FOUND" },
    };
  }),
]);

const named = (name: string, method = EQUALS): GrantedQuery => ({
  ...({ case: "nameQuery", value: { name, method } } as const),
});
const both = ["wiki to acme", "shop to acme"];

runCases(
  "ListGrantedProjects",
  (
    [
      ["all that are granted to it", () => [], both],
      ["by name", () => [named("Shop")], ["shop to acme"]],
      ["by the beginning of the name", () => [named("W", STARTS_WITH)], ["wiki to acme"]],
      [
        "by the owner",
        ({ vendor }: Vendor) => [
          { case: "projectResourceOwnerQuery", value: { resourceOwner: vendor } } as const,
        ],
        both,
      ],
      [
        "none by another owner",
        ({ acme }: Vendor) => [
          { case: "projectResourceOwnerQuery", value: { resourceOwner: acme } } as const,
        ],
        [],
      ],
    ] as const
  ).map(([name, queries, expected]) =>
    row(
      `finds ${name}`,
      listGrantedProjects,
      async (world) => {
        const given = await givenVendor(world);
        return {
          request: { queries: queries(given).map((query) => ({ query })) },
          headers: on(given.acme),
          expected: {
            ok({ result, details }) {
              expect(namesIn(given, result)).toEqual(expected);
              expect(details?.totalResult).toBe(BigInt(expected.length));
            },
          },
        };
      },
      someClients,
    ),
  ),
);
