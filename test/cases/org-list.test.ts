import { toJson } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { AddOrgResponse } from "../../gen/iam/management/v1/org_pb.js";
import { type Org, OrgFieldName, OrgSchema, OrgState } from "../../gen/iam/org/v1/org_pb.js";
import { row, runCases } from "../harness/cases.ts";
import { givenOrganization } from "../harness/server.ts";
import { detailsJson, eventsOf } from "./given.ts";
import { idsOf, type Listing, listRow, pageOf } from "./listing.ts";
import { listRows } from "./lists.ts";
import { granted } from "./stored.ts";

const { listOrgs } = AdminService.method;
const { addOrg } = ManagementService.method;

const orgs: Listing = {
  method: listOrgs,
  given: ({ server }, _spot, name) => givenOrganization(server, name),
  byName: (name, method = 0) => ({ query: { case: "nameQuery", value: { name, method } } }),
  isEverywhere: true,
  byNameColumn: OrgFieldName.NAME,
};

const byId = (id: string) => ({ query: { case: "idQuery", value: { id } } });
const byState = (state: number) => ({ query: { case: "stateQuery", value: { state } } });
const byDomain = (domain: string, method = 0) => ({
  query: { case: "domainQuery", value: { domain, method } },
});

runCases("ListOrgs", [
  ...listRows(orgs),
  listRow(orgs, "has all that is known of an organization", async ({ named }, { server, call }) => {
    const name = named("a");
    const { id } = granted<AddOrgResponse>(await call(addOrg, { name }));
    return {
      async ok({ result }) {
        const [one] = result;
        const details = detailsJson(await eventsOf(server, `org-${id}`));
        expect(details.resourceOwner).toBe(id);
        const expected = { id, details, state: "ORG_STATE_ACTIVE", name };
        expect(toJson(OrgSchema, one as Org)).toEqual(expected);
        expect(result).toHaveLength(1);
      },
    };
  }),
  row("has the organization of the first start", orgs.method, ({ server: { admin } }) => ({
    request: { queries: [byId(admin.organization)] },
    expected: {
      ok: (page) =>
        expect(pageOf(page).result).toMatchObject([{ name: "Default", id: admin.organization }]),
    },
  })),
  listRow(orgs, "finds one by its id", async ({ given, list }, { unique }) => {
    const [, id] = await given("a", "b", "c");
    expect(await list({ queries: [byId(unique)] })).toMatchObject({ result: [] });
    return { ask: { queries: [byId(id!)] }, ok: (page) => expect(idsOf(page)).toEqual([id]) };
  }),
  ...(
    [
      ["active", OrgState.ACTIVE, 2],
      ["inactive", OrgState.INACTIVE, 0],
      ["removed", OrgState.REMOVED, 0],
      ["unspecified", OrgState.UNSPECIFIED, 0],
    ] as const
  ).map(([what, state, count]) =>
    listRow(orgs, `finds by the state: ${what}`, async ({ given }) => {
      await given("a", "b");
      return {
        ask: { queries: [byState(state)] },
        ok({ details, result }) {
          expect(result).toHaveLength(count);
          expect(details?.totalResult).toBe(BigInt(count));
        },
      };
    }),
  ),
  ...["example.com", ""].map((domain) =>
    listRow(orgs, `finds none by the domain "${domain}"`, async ({ given, list }) => {
      await given("a");
      // Not by what contains nothing either: there are no domains.
      expect(await list({ queries: [byDomain(domain, 4)] })).toMatchObject({ result: [] });
      return {
        ask: { queries: [byDomain(domain)] },
        ok: (page) => expect(page).toMatchObject({ result: [], details: { totalResult: 0n } }),
      };
    }),
  ),
]);
