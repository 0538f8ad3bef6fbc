import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import type { GetIDPByIDResponse } from "../../gen/iam/admin/v1/idp_search_pb.js";
import { IDPFieldName, IDPOwnerType } from "../../gen/iam/idp/v1/idp_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { idp } from "../../src/domain/idp.ts";
import { runCases, type World } from "../harness/cases.ts";
import { givenOrganization } from "../harness/server.ts";
import { recorded } from "./given.ts";
import { givenJWTProvider, givenOIDCProvider } from "./idps.ts";
import { type Condition, idsOf, type Listing, listRow } from "./listing.ts";
import { listRows } from "./lists.ts";
import { granted } from "./stored.ts";

const { getIDPByID, listIDPs } = AdminService.method;
const { listOrgIDPs } = ManagementService.method;

const common = {
  byName: (name: string, method = 0): Condition => ({
    query: { case: "idpNameQuery", value: { name, method } },
  }),
  byNameColumn: IDPFieldName.IDP_FIELD_NAME_NAME,
  given: ({ server }: World, { organization }: { readonly organization: string }, name: string) =>
    givenOIDCProvider(server, organization, { clientSecret: "secret", name }),
};
const ofInstance: Listing = { ...common, method: listIDPs, isEverywhere: true };
const ofOrganization: Listing = { ...common, method: listOrgIDPs };

const byId = (id: string) => ({ query: { case: "idpIdQuery", value: { id } } });
const byOwner = (ownerType: number) => ({
  query: { case: "ownerTypeQuery", value: { ownerType } },
});
const { IDP_OWNER_TYPE_UNSPECIFIED, IDP_OWNER_TYPE_SYSTEM, IDP_OWNER_TYPE_ORG } = IDPOwnerType;
const removed = { type: "idp.removed", payload: {} } as const;

runCases("lists of identity providers", [
  ...listRows(ofInstance),
  ...listRows(ofOrganization),

  ...[ofInstance, ofOrganization].flatMap((listing) => [
    listRow(listing, "has what GetIDPByID has, but nothing removed", async (place, world) => {
      const [a, gone, b] = await place.given("a", "gone", "b");
      await recorded(world.server, idp, place.spot.organization, [removed], gone);
      return {
        async ok(page) {
          expect(idsOf(page)).toEqual([b, a]);
          expect(page.details?.totalResult).toBe(2n);
          for (const listed of page.result) {
            const answer = await world.call(getIDPByID, { id: listed.id });
            expect(listed).toEqual(granted<GetIDPByIDResponse>(answer).idp);
          }
        },
      };
    }),
    listRow(listing, "finds one by its id", async ({ given, list }, { unique }) => {
      const [, id] = await given("a", "b", "c");
      expect(await list({ queries: [byId(unique)] })).toMatchObject({ result: [] });
      return { ask: { queries: [byId(id!)] }, ok: (page) => expect(idsOf(page)).toEqual([id]) };
    }),
  ]),

  listRow(
    ofInstance,
    "has providers of the instance and of organizations",
    async (place, world) => {
      const { server } = world;
      const ids = [
        await givenJWTProvider(server, place.spot.organization, place.named("a")),
        ...(await place.given("b")),
        await ofOther(world, place.named("c")),
      ];
      await takenBack(world, ids[0]!);
      return { ok: (page) => expect(idsOf(page)).toEqual(ids.slice(1).toReversed()) };
    },
  ),
  listRow(ofOrganization, "does not find another organization's by its id", async (_, world) => {
    const id = await ofOther(world, world.unique);
    return { ask: { queries: [byId(id)] }, ok: (page) => expect(idsOf(page)).toEqual([]) };
  }),
  ...(
    [
      ["all", undefined, ["own", "shared"]],
      ["its own", IDP_OWNER_TYPE_ORG, ["own"]],
      ["those of the instance", IDP_OWNER_TYPE_SYSTEM, ["shared"]],
      ["no other kind", IDP_OWNER_TYPE_UNSPECIFIED, []],
    ] as const
  ).map(([what, ownerType, names]) =>
    listRow(ofOrganization, `finds by whom they serve: ${what}`, async (place, world) => {
      const other = await givenOrganization(world.server);
      const shared = await givenJWTProvider(world.server, other, place.named("shared"));
      await ofOther(world, place.named("foreign"));
      await place.given("own");
      return {
        ask: { queries: ownerType === undefined ? [] : [byOwner(ownerType)] },
        async ok({ details, result }) {
          expect(result.map(({ name }) => name)).toEqual(names.map(place.named));
          expect(details?.totalResult).toBe(BigInt(names.length));
          await takenBack(world, shared);
        },
      };
    }),
  ),
  listRow(ofOrganization, "sorts those of both kinds together", async (place, world) => {
    const { organization } = place.spot;
    await place.given("b");
    const shared = await givenJWTProvider(world.server, organization, place.named("A"));
    await place.given("C");
    return {
      ask: { sortingColumn: IDPFieldName.IDP_FIELD_NAME_NAME, query: { asc: true } },
      async ok({ result }) {
        expect(result.map(({ name }) => name)).toEqual(["A", "b", "C"].map(place.named));
        await takenBack(world, shared);
      },
    };
  }),
]);

async function ofOther({ server }: World, name: string): Promise<string> {
  const other = await givenOrganization(server);
  return givenOIDCProvider(server, other, { clientSecret: "secret", name });
}

/** What serves every organization would be in the lists of the rows to come. */
async function takenBack({ server }: World, id: string): Promise<void> {
  await recorded(server, idp, server.admin.organization, [removed], id);
}
