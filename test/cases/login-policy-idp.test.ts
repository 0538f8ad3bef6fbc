import { expect } from "@jest/globals";
import { v7 } from "uuid";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { IDPOwnerType } from "../../gen/iam/idp/v1/idp_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { instanceId } from "../../src/domain/instance.ts";
import { loginPolicyLimits } from "../../src/domain/policy/login.ts";
import { row, runCases } from "../harness/cases.ts";
import { givenOrganization, type TestServer } from "../harness/server.ts";
import { givenIDP } from "./humans.ts";
import { givenJWTProvider } from "./idps.ts";
import { on } from "./orgs.ts";
import { givenDefaults, givenLogin, givenLoginAndIDP, naming, refusals } from "./policies.ts";
import { granted } from "./stored.ts";

// Which identity providers login policies name.

const {
  addCustomLoginPolicy,
  addIDPToLoginPolicy,
  removeIDPFromLoginPolicy,
  resetLoginPolicyToDefault,
} = ManagementService.method;
const admin = AdminService.method;

const notUsable = { code: 9, reason: "IDP_NOT_USABLE" };
const added = "policy.login.idp.added";
const removed = "policy.login.idp.removed";
const { IDP_OWNER_TYPE_ORG: ORG, IDP_OWNER_TYPE_SYSTEM: SYSTEM } = IDPOwnerType;

/** An organization whose policy names so many of its providers. */
async function givenNaming(server: TestServer, count: number) {
  const { owner, idpId } = await givenLoginAndIDP(server);
  const ids = Array.from({ length: count }, () => v7());
  await naming(server, owner, ids);
  return { owner, idpId, ids };
}

runCases("AddIDPToLoginPolicy", [
  row("names a provider of the organization", addIDPToLoginPolicy, async ({ server }) => {
    const { owner, idpId } = await givenLoginAndIDP(server);
    return {
      request: { idpId, ownerType: ORG },
      headers: on(owner),
      expected: {
        ok(_answer, events) {
          const stream = `loginPolicy-${owner}`;
          expect(events).toMatchObject([{ stream, type: added, owner }]);
          expect(JSON.parse(events[0]?.payload ?? "")).toEqual({ idpId });
        },
      },
    };
  }),
  row("names one that serves the instance", addIDPToLoginPolicy, async ({ server }) => ({
    request: {
      idpId: await givenJWTProvider(server, server.admin.organization),
      ownerType: SYSTEM,
    },
    headers: on(await givenLogin(server)),
    expected: { ok: (_answer, events) => expect(events).toMatchObject([{ type: added }]) },
  })),
  row("refuses one that is named", addIDPToLoginPolicy, async ({ server }) => {
    const { owner, idpId } = await givenLoginAndIDP(server);
    await naming(server, owner, [idpId]);
    return { request: { idpId }, headers: on(owner), expected: refusals.unchanged };
  }),
  row("refuses where there is no policy", addIDPToLoginPolicy, async ({ server }) => {
    const owner = await givenOrganization(server);
    const idpId = await givenIDP(server, owner, "ORGANIZATION");
    return { request: { idpId }, headers: on(owner), expected: refusals.notFound };
  }),
  row("refuses the provider of another organization", addIDPToLoginPolicy, async ({ server }) => ({
    request: { idpId: (await givenLoginAndIDP(server)).idpId },
    headers: on(await givenLogin(server)),
    expected: notUsable,
  })),
  ...["__proto__", "policy", "caller", "a/b %2F ü"].map((idpId) =>
    row(`refuses a provider called ${idpId}`, addIDPToLoginPolicy, async ({ server }) => ({
      request: { idpId },
      headers: on(await givenLogin(server)),
      expected: notUsable,
    })),
  ),
  row("refuses one that serves others than it says", addIDPToLoginPolicy, async ({ server }) => {
    const { owner, idpId } = await givenLoginAndIDP(server);
    return { request: { idpId, ownerType: SYSTEM }, headers: on(owner), expected: notUsable };
  }),
  row("takes the last that there is room for", addIDPToLoginPolicy, async ({ server }) => {
    const { owner, idpId } = await givenNaming(server, loginPolicyLimits.idps - 1);
    return {
      request: { idpId },
      headers: on(owner),
      expected: { ok: (_answer, events) => expect(events).toHaveLength(1) },
    };
  }),
  row("refuses one past that", addIDPToLoginPolicy, async ({ server }) => {
    const { owner, idpId } = await givenNaming(server, loginPolicyLimits.idps);
    return {
      request: { idpId },
      headers: on(owner),
      expected: { code: 8, reason: "LIMIT_REACHED" },
    };
  }),
  row("names one for the instance", admin.addIDPToLoginPolicy, async ({ server }) => {
    await givenDefaults(server);
    return {
      request: { idpId: await givenJWTProvider(server, await givenOrganization(server)) },
      expected: {
        ok: (_answer, events) =>
          expect(events).toMatchObject([{ stream: `loginPolicy-${instanceId}`, type: added }]),
      },
    };
  }),
  row(
    "refuses the instance one that an organization has alone",
    admin.addIDPToLoginPolicy,
    async ({ server }) => ({
      request: { idpId: await givenIDP(server, server.admin.organization, "ORGANIZATION") },
      expected: notUsable,
    }),
  ),
  row(
    "names for the first organization what the default names",
    addIDPToLoginPolicy,
    async ({ server, call }) => {
      await givenDefaults(server);
      const { organization } = server.admin;
      const idpId = await givenJWTProvider(server, organization);
      await naming(server, instanceId, [idpId]);
      await call(resetLoginPolicyToDefault, {});
      granted(await call(addCustomLoginPolicy, { allowUsernamePassword: true }));
      return {
        request: { idpId },
        expected: { ok: (_answer, events) => expect(events).toMatchObject([{ type: added }]) },
      };
    },
  ),
]);

runCases("RemoveIDPFromLoginPolicy", [
  row("names it no more", removeIDPFromLoginPolicy, async ({ server }) => {
    const { owner, ids } = await givenNaming(server, 2);
    return {
      request: { idpId: ids[0]! },
      headers: on(owner),
      expected: {
        async ok(_answer, events) {
          expect(events).toMatchObject([{ type: removed, owner }]);
          const [stored] = await server.store.load([`loginPolicy-${owner}`]);
          expect(JSON.parse(stored?.state ?? "").idps).toEqual([ids[1]]);
        },
      },
    };
  }),
  row("refuses one that is not named", removeIDPFromLoginPolicy, async ({ server }) => {
    const { owner, idpId } = await givenLoginAndIDP(server);
    return { request: { idpId }, headers: on(owner), expected: refusals.unchanged };
  }),
  row("refuses where there is no policy", removeIDPFromLoginPolicy, async ({ server }) => ({
    request: { idpId: "a" },
    headers: on(await givenOrganization(server)),
    expected: refusals.notFound,
  })),
  row("leaves the instance an empty list", admin.removeIDPFromLoginPolicy, async ({ server }) => {
    await givenDefaults(server);
    const idpId = v7();
    await naming(server, instanceId, [idpId]);
    return {
      request: { idpId },
      expected: {
        async ok() {
          const [stored] = await server.store.load([`loginPolicy-${instanceId}`]);
          expect(JSON.parse(stored?.state ?? "").idps).toEqual([]);
        },
      },
    };
  }),
]);

runCases("AddCustomLoginPolicy: providers", [
  row("names them, each once, in their order", addCustomLoginPolicy, async ({ server }) => {
    const owner = await givenOrganization(server);
    const [a, b] = [
      await givenIDP(server, owner, "ORGANIZATION"),
      await givenIDP(server, server.admin.organization, "INSTANCE"),
    ];
    return {
      request: {
        ...{ allowUsernamePassword: true, allowExternalIdp: true },
        idps: [{ idpId: b, ownerType: SYSTEM }, { idpId: a, ownerType: ORG }, { idpId: b }],
      },
      headers: on(owner),
      expected: {
        ok(_answer, events) {
          expect(events).toHaveLength(1);
          const payload = JSON.parse(events[0]?.payload ?? "");
          expect(payload).toMatchObject({ allowExternal: true, idps: [b, a] });
        },
      },
    };
  }),
  row("refuses one that is not there among others", addCustomLoginPolicy, async ({ server }) => {
    const owner = await givenOrganization(server);
    const idpId = await givenIDP(server, owner, "ORGANIZATION");
    return {
      request: { allowUsernamePassword: true, idps: [{ idpId }, { idpId: v7() }] },
      headers: on(owner),
      expected: notUsable,
    };
  }),
]);
