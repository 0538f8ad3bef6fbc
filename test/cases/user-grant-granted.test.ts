import type { MessageInitShape } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { TextQueryMethod } from "../../gen/iam/v1/search_pb.js";
import { row, runCases } from "../harness/cases.ts";
import { givenOrganization } from "../harness/server.ts";
import { someClients } from "./given.ts";
import { givenCustomer, givenToCustomer } from "./grants.ts";
import { on } from "./orgs.ts";
import { fact } from "./stored.ts";
import { givenHuman } from "./users.ts";
import { givenVendor, type Vendor } from "./vendor.ts";

// What users are granted of projects that are granted to their organization.

const { addUserGrant, bulkRemoveUserGrant, listUserGrants, updateUserGrant } =
  ManagementService.method;
const noProjectGrant = { code: 5, reason: "PROJECT_GRANT_NOT_FOUND" };
const noRole = { code: 5, reason: "PROJECT_ROLE_NOT_FOUND" };
const { EQUALS } = TextQueryMethod;

runCases("AddUserGrant of a granted project", [
  row("records by which project grant a customer gives it", addUserGrant, async (world) => {
    const { customer, editor, projectGrantId, userId } = await givenCustomer(world);
    const request = { userId, projectId: world.project, roleKeys: ["editor"] };
    return {
      request: { ...request, projectGrantId },
      headers: on(customer),
      expected: {
        ok: (_message, events) =>
          expect(events.map(fact)).toMatchObject([
            { owner: customer, payload: { roleIds: [editor], projectGrantId } },
          ]),
      },
    };
  }),
  row("refuses a role that the project grant lacks", addUserGrant, async (world) => {
    const { customer, projectGrantId, userId } = await givenCustomer(world);
    const request = { userId, projectId: world.project, roleKeys: ["editor", "reader"] };
    return { request: { ...request, projectGrantId }, headers: on(customer), expected: noRole };
  }),
  row("refuses a project grant to another organization", addUserGrant, async (world) => {
    const { projectGrantId } = await givenCustomer(world);
    const other = await givenOrganization(world.server);
    const userId = await givenHuman(world.server, other);
    return {
      request: { userId, projectId: world.project, projectGrantId, roleKeys: ["editor"] },
      headers: on(other),
      expected: noProjectGrant,
    };
  }),
  row("refuses it to the owner of the project, too", addUserGrant, async (world) => {
    const { projectGrantId } = await givenCustomer(world);
    const userId = await givenHuman(world.server, world.server.admin.organization);
    return {
      request: { userId, projectId: world.project, projectGrantId, roleKeys: ["editor"] },
      expected: noProjectGrant,
    };
  }),
  row("refuses a granted project whose grant is not named", addUserGrant, async (world) => {
    const { customer, userId } = await givenCustomer(world);
    return {
      request: { userId, projectId: world.project, roleKeys: ["editor"] },
      headers: on(customer),
      expected: { code: 5, reason: "PROJECT_NOT_FOUND" },
    };
  }),
]);

runCases("changes of grants of a granted project", [
  row(
    "UpdateUserGrant refuses a role that the project grant lacks",
    updateUserGrant,
    async (world) => {
      const given = await givenCustomer(world);
      const grantId = await givenToCustomer(world, given);
      return {
        request: { userId: given.userId, grantId, roleKeys: ["reader"] },
        headers: on(given.customer),
        expected: noRole,
      };
    },
  ),
  row("BulkRemoveUserGrant removes it", bulkRemoveUserGrant, async (world) => {
    const given = await givenCustomer(world);
    const grantId = await givenToCustomer(world, given);
    return {
      request: { grantId: [grantId] },
      headers: on(given.customer),
      expected: { ok: (_message, events) => expect(events).toHaveLength(1) },
    };
  }),
]);

type GrantQuery = NonNullable<
  NonNullable<MessageInitShape<typeof listUserGrants.input>["queries"]>[number]["query"]
>;
const onGranted: readonly (readonly [string, (given: Vendor) => GrantQuery, boolean])[] = [
  [
    "by the project grant",
    ({ grants }) => ({
      case: "projectGrantIdQuery",
      value: { projectGrantId: grants["shop to acme"] },
    }),
    true,
  ],
  [
    "none by another project grant",
    ({ grants }) => ({
      case: "projectGrantIdQuery",
      value: { projectGrantId: grants["wiki to acme"] },
    }),
    false,
  ],
  [
    "with those of granted projects",
    () => ({ case: "withGrantedQuery", value: { withGranted: true } }),
    true,
  ],
  ["without them", () => ({ case: "withGrantedQuery", value: { withGranted: false } }), false],
  [
    "by the name of the granted project",
    () => ({ case: "projectNameQuery", value: { projectName: "Shop", method: EQUALS } }),
    true,
  ],
  [
    "by the key of a role of it",
    () => ({ case: "roleKeyQuery", value: { roleKey: "editor", method: EQUALS } }),
    true,
  ],
  [
    "none by the key of a role that nobody holds",
    () => ({ case: "roleKeyQuery", value: { roleKey: "reader", method: EQUALS } }),
    false,
  ],
];

runCases("ListUserGrants of a granted project", [
  ...onGranted.map(([name, query, isFound]) =>
    row(
      `finds ${name}`,
      listUserGrants,
      async (world) => {
        const given = await givenVendor(world);
        return {
          request: { queries: [{ query: query(given) }] },
          headers: on(given.acme),
          expected: {
            ok: ({ result }) =>
              expect(result.map(({ id }) => id)).toEqual(isFound ? [given.grantId] : []),
          },
        };
      },
      someClients,
    ),
  ),
  row("says by which project grant it is held", listUserGrants, async (world) => {
    const given = await givenVendor(world);
    return {
      request: {},
      headers: on(given.acme),
      expected: {
        ok: ({ result: [shown] }) =>
          expect(shown).toMatchObject({
            ...{ projectId: given.shop, projectName: "Shop", roleKeys: ["editor"] },
            ...{ projectGrantId: given.grants["shop to acme"], grantedOrgId: given.acme },
          }),
      },
    };
  }),
  row("shows its owner none of these people", listUserGrants, async (world) => ({
    request: {},
    headers: on((await givenVendor(world)).vendor),
    expected: { ok: ({ result }) => expect(result).toEqual([]) },
  })),
]);
