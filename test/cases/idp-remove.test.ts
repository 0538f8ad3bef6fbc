import type { DescMethodUnary } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { v7 } from "uuid";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import type { ImportHumanUserResponse } from "../../gen/iam/management/v1/human_pb.js";
import type { AddOrgOIDCIDPResponse } from "../../gen/iam/management/v1/idp_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { idp } from "../../src/domain/idp.ts";
import type { Serves } from "../../src/domain/idp-config.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenOrganization } from "../harness/server.ts";
import { recorded, someClients } from "./given.ts";
import { requestFor } from "./humans.ts";
import { type Change, changeRows } from "./lookups.ts";
import { granted } from "./stored.ts";

const { addJWTIDP, removeIDP } = AdminService.method;
const { addOrgOIDCIDP, importHumanUser, removeOrgIDP, removeUser } = ManagementService.method;

const removals: readonly DescMethodUnary[] = [removeIDP, removeOrgIDP];

const notFound = {
  code: 5,
  reason: "IDP_NOT_FOUND",
  message: "No identity provider with this id exists where the caller may act.",
} as const;
const inUse = (message: string) => ({ code: 9, reason: "IDP_IN_USE", message });
const oneUser = inUse("1 user is linked to the identity provider: remove these links first.");
const threeUsers = inUse("3 users are linked to the identity provider: remove these links first.");

const common: Omit<Change, "method" | "given"> = {
  ...{ noun: idp, notFound, type: "idp.removed", again: notFound },
  request: (idpId) => ({ idpId }),
  removal: { type: "idp.removed", payload: {} },
};

runCases("removal of identity providers", [
  ...changeRows({
    ...common,
    method: removeIDP,
    given: ({ server }, { organization }) => givenIDPOf(server, organization, "ORGANIZATION"),
    isEverywhere: true,
  }),
  // The answer is empty: the contract has no details there.
  ...changeRows({
    ...common,
    method: removeOrgIDP,
    given: ({ server }, { organization }) => givenIDPOf(server, organization, "ORGANIZATION"),
    answer: () => ({}),
  }),

  row("RemoveIDP removes a provider of the instance", removeIDP, async ({ server }) => ({
    request: { idpId: await givenIDPOf(server, server.admin.organization, "INSTANCE") },
    expected: { ok: (_message, events) => expect(events).toHaveLength(1) },
  })),
  row("RemoveOrgIDP refuses a provider of the instance", removeOrgIDP, async ({ server }) => ({
    request: { idpId: await givenIDPOf(server, server.admin.organization, "INSTANCE") },
    expected: notFound,
  })),
  row("RemoveIDP frees the name in the instance", removeIDP, async ({ server, call, unique }) => {
    const url = "https://idp.example.com";
    const request = { name: unique, jwtEndpoint: url, issuer: url, keysEndpoint: url };
    const idpId = await givenIDPOf(server, server.admin.organization, "INSTANCE", unique);
    const given = { ...request, headerName: "a" };
    expect(await call(addJWTIDP, given)).toMatchObject({ code: 6, reason: "NAME_TAKEN" });
    return {
      request: { idpId },
      expected: { ok: async () => void granted(await call(addJWTIDP, given)) },
    };
  }),
  row("RemoveOrgIDP frees the name in the organization", removeOrgIDP, async (world) => {
    const { server, call, unique } = world;
    const idpId = await givenIDPOf(server, server.admin.organization, "ORGANIZATION", unique);
    const given = { name: unique, clientId: "c", clientSecret: "s", issuer: "https://a.example" };
    expect(await call(addOrgOIDCIDP, given)).toMatchObject({ code: 6, reason: "NAME_TAKEN" });
    return {
      request: { idpId },
      expected: {
        async ok() {
          const again = granted<AddOrgOIDCIDPResponse>(await call(addOrgOIDCIDP, given));
          expect(again.idpId).not.toBe(idpId);
        },
      },
    };
  }),

  ...removals.flatMap((method) => [
    row(`${method.name} refuses a provider that a user is linked to`, method, async (world) => {
      const idpId = await givenOwn(world);
      await link(world, idpId, 1);
      return { request: { idpId }, expected: oneUser };
    }),
    row(
      `${method.name} counts the users that are linked, not their links`,
      method,
      async (world) => {
        const [idpId, other] = [await givenOwn(world), await givenOwn(world)];
        await link(world, idpId, 3);
        await link(world, other, 1);
        return { request: { idpId }, expected: threeUsers };
      },
      someClients,
    ),
    row(`${method.name} removes one when the last linked user is gone`, method, async (world) => {
      const idpId = await givenOwn(world);
      const [id] = await link(world, idpId, 1);
      granted(await world.call(removeUser, { id: id! }));
      return {
        request: { idpId },
        expected: {
          async ok() {
            // Nobody can be linked to it any more.
            const idps = [{ configId: idpId, externalUserId: "late" }];
            const late = await world.call(importHumanUser, requestFor(world, { idps }));
            expect(late).toMatchObject({ code: 9, reason: "IDP_NOT_USABLE" });
          },
        },
      };
    }),
  ]),
  row("RemoveIDP counts linked users of every organization", removeIDP, async (world) => {
    const { server } = world;
    const idpId = await givenIDPOf(server, await givenOrganization(server), "INSTANCE");
    await link(world, idpId, 1);
    return { request: { idpId }, expected: oneUser };
  }),
]);

function givenIDPOf(
  server: World["server"],
  owner: string,
  serves: Serves,
  name = v7(),
): Promise<string> {
  const payload = { name, serves, stylingType: "UNSPECIFIED", autoRegister: false } as const;
  return recorded(server, idp, owner, [{ type: "idp.config.added", payload }]);
}

function givenOwn({ server }: World): Promise<string> {
  return givenIDPOf(server, server.admin.organization, "ORGANIZATION");
}

/** Users, each with two links to the provider; answers their ids. */
async function link(world: World, configId: string, users: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let nth = 0; nth < users; nth += 1) {
    const idps = ["a", "b"].map((account) => ({
      configId,
      externalUserId: `${account} ${nth}`,
    }));
    const userName = `${configId} ${nth}`;
    const request = requestFor(world, { userName, idps });
    const answer = await world.call(importHumanUser, request);
    ids.push(granted<ImportHumanUserResponse>(answer).userId);
  }
  return ids;
}
