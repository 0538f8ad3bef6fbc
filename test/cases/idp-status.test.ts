import type { DescMethodUnary, Message } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { IDPState } from "../../gen/iam/idp/v1/idp_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { idp } from "../../src/domain/idp.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { bothLevels, methodsAt } from "./idp-templates.ts";
import { givenProviderOf } from "./idps.ts";
import { type Change, changeRows } from "./lookups.ts";
import { granted } from "./stored.ts";

const admin = AdminService.method;
const management = ManagementService.method;

const notFound = {
  code: 5,
  reason: "IDP_NOT_FOUND",
  message: "No identity provider with this id exists where the caller may act.",
} as const;
const nothing = { code: 9, reason: "NOTHING_CHANGED" };

const common: Omit<Change, "method" | "given" | "type"> = {
  ...{ noun: idp, notFound, again: nothing },
  request: (idpId) => ({ idpId }),
  removal: { type: "idp.removed", payload: {} },
};

const given: { readonly [state: string]: Change["given"] } = {
  active: ({ server }, { organization }) => givenProviderOf(server, organization, "GITHUB"),
  inactive: ({ server }, { organization }) =>
    givenProviderOf(server, organization, "JWT", { isInactive: true }),
};

function rowsOf(method: DescMethodUnary, type: string, state: "active" | "inactive") {
  const everywhere = method.parent === AdminService ? ({ isEverywhere: true } as const) : {};
  return changeRows({ ...common, ...everywhere, method, type, given: given[state]! });
}

runCases("taking providers out of use and back", [
  ...rowsOf(admin.deactivateIDP, "idp.deactivated", "active"),
  ...rowsOf(admin.reactivateIDP, "idp.reactivated", "inactive"),
  ...rowsOf(management.deactivateOrgIDP, "idp.deactivated", "active"),
  ...rowsOf(management.reactivateOrgIDP, "idp.reactivated", "inactive"),

  ...[management.deactivateOrgIDP, management.updateOrgIDP].map((method) =>
    row(
      `${method.name} leaves a provider of the instance that the organization owns`,
      method as DescMethodUnary,
      async ({ server, unique: name }) => {
        const { organization } = server.admin;
        const serves = "INSTANCE";
        const idpId = await givenProviderOf(server, organization, "OIDC", { serves });
        const named = method === management.updateOrgIDP ? { name } : {};
        return { request: { idpId, ...named }, expected: notFound };
      },
    ),
  ),
]);

const deletions = bothLevels.flatMap((serves) => {
  const { deleteProvider: method } = methodsAt(serves);
  const everywhere = serves === "INSTANCE" ? ({ isEverywhere: true } as const) : {};
  return changeRows({
    ...{ ...common, ...everywhere, method, type: "idp.removed", again: notFound },
    given: given.active!,
    request: (id) => ({ id }),
  });
});

type Listed = Message & { readonly result: readonly { readonly id: string; state: IDPState }[] };

/** What a list says of a provider, found by its name. */
async function listed({ call }: World, method: DescMethodUnary, name: string) {
  const queries = [{ query: { case: "idpNameQuery", value: { name } } }];
  return granted<Listed>(await call(method, { queries })).result;
}

const lists = [
  admin.listIDPs,
  admin.listProviders,
  management.listOrgIDPs,
  management.listProviders,
] as readonly DescMethodUnary[];

runCases("providers that are out of use or gone", [
  ...deletions,
  ...lists.map((method) =>
    row(
      `${method.parent.name}.${method.name} has one that is out of use, and says so`,
      management.deactivateOrgIDP,
      async (world) => {
        const { server, unique: name } = world;
        const { organization } = server.admin;
        const idpId = await givenProviderOf(server, organization, "AZURE_AD", { name });
        const { IDP_STATE_ACTIVE, IDP_STATE_INACTIVE } = IDPState;
        expect(await listed(world, method, name)).toMatchObject([{ state: IDP_STATE_ACTIVE }]);
        return {
          request: { idpId },
          expected: {
            async ok() {
              const found = await listed(world, method, name);
              expect(found).toMatchObject([{ id: idpId, state: IDP_STATE_INACTIVE }]);
            },
          },
        };
      },
    ),
  ),
]);
