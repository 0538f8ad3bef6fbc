import { expect } from "@jest/globals";
import { v7 } from "uuid";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { IDPType } from "../../gen/iam/idp/v1/link_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { instanceId } from "../../src/domain/instance.ts";
import { row, runCases } from "../harness/cases.ts";
import { givenOrganization } from "../harness/server.ts";
import { givenIDP } from "./humans.ts";
import { givenJWTProvider, givenOIDCProvider } from "./idps.ts";
import { clear, on } from "./orgs.ts";
import { givenDefaults, givenLogin, givenLoginAndIDP, naming } from "./policies.ts";
import { granted } from "./stored.ts";

// How the identity providers that login policies name are listed.

const {
  addCustomLoginPolicy,
  getLoginPolicy,
  listLoginPolicyIDPs,
  removeOrgIDP,
  resetLoginPolicyToDefault,
} = ManagementService.method;
const admin = AdminService.method;

runCases("ListLoginPolicyIDPs", [
  row("lists those of the organization", listLoginPolicyIDPs, async ({ server }) => {
    const owner = await givenLogin(server);
    const a = await givenOIDCProvider(server, owner, { clientSecret: "x", name: `${owner} a` });
    const b = await givenJWTProvider(server, owner, `${owner} b`);
    await naming(server, owner, [a, b, v7()]);
    return {
      request: { query: { asc: true } },
      headers: on(owner),
      expected: {
        async ok({ result, details }) {
          expect(result).toMatchObject([
            { idpId: a, idpName: `${owner} a`, idpType: IDPType.IDP_TYPE_OIDC },
            { idpId: b, idpName: `${owner} b`, idpType: IDPType.IDP_TYPE_JWT },
          ]);
          expect(details?.totalResult).toBe(2n);
          expect(details?.processedSequence).toBe((await server.store.head()).position);
        },
      },
    };
  }),
  row("lists a page of them, the newest first", listLoginPolicyIDPs, async ({ server }) => {
    const owner = await givenLogin(server);
    const [a, b, c] = [
      await givenIDP(server, owner, "ORGANIZATION"),
      await givenIDP(server, owner, "ORGANIZATION"),
      await givenIDP(server, owner, "ORGANIZATION"),
    ];
    await naming(server, owner, [a, b, c]);
    return {
      request: { query: { offset: 1n, limit: 1 } },
      headers: on(owner),
      expected: {
        ok: ({ result, details }) =>
          expect([result.map(({ idpId }) => idpId), details?.totalResult]).toEqual([[b], 3n]),
      },
    };
  }),
  row("lists those of the default", listLoginPolicyIDPs, async ({ server }) => {
    await givenDefaults(server);
    const idpId = await givenJWTProvider(server, server.admin.organization);
    await naming(server, instanceId, [idpId]);
    return {
      request: {},
      headers: on(await givenOrganization(server)),
      expected: { ok: ({ result }) => expect(result).toMatchObject([{ idpId }]) },
    };
  }),
  row(
    "lists none of an instance that names none",
    admin.listLoginPolicyIDPs,
    async ({ server }) => {
      await givenDefaults(server);
      return { request: {}, expected: { ok: ({ result }) => expect(result).toEqual([]) } };
    },
  ),
  row("loses a provider that is removed", listLoginPolicyIDPs, async ({ server, call }) => {
    const { organization } = server.admin;
    await call(resetLoginPolicyToDefault, {});
    const idpId = await givenIDP(server, organization, "ORGANIZATION");
    const named = { allowUsernamePassword: true, idps: [{ idpId }] };
    granted(await call(addCustomLoginPolicy, named));
    granted(await call(removeOrgIDP, { idpId }));
    return {
      request: {},
      expected: {
        async ok({ result }) {
          expect(result).toEqual([]);
          await clear(server);
          const [stored] = await server.store.load([`loginPolicy-${organization}`]);
          expect(JSON.parse(stored?.state ?? "").idps).toEqual([]);
        },
      },
    };
  }),
]);

runCases("GetLoginPolicy: providers", [
  row("shows those that it names", getLoginPolicy, async ({ server }) => {
    const { owner, idpId } = await givenLoginAndIDP(server);
    await naming(server, owner, [idpId]);
    return {
      request: {},
      headers: on(owner),
      expected: {
        ok({ policy }) {
          expect(policy?.idps).toMatchObject([{ idpId, idpName: idpId }]);
          expect([policy?.allowExternalIdp, policy?.hasIdpList]).toEqual([true, true]);
        },
      },
    };
  }),
  row("says that the default has no list", getLoginPolicy, async ({ server }) => {
    await givenDefaults(server);
    return {
      request: {},
      headers: on(await givenOrganization(server)),
      expected: {
        ok: ({ policy }) => expect([policy?.idps, policy?.hasIdpList]).toEqual([[], false]),
      },
    };
  }),
]);
