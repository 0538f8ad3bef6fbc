import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { SecondFactorType } from "../../gen/iam/policy/v1/login_policy_pb.js";
import { row, runCases } from "../harness/cases.ts";
import { givenOrganization } from "../harness/server.ts";
import { on } from "./orgs.ts";
import { givenDefaults, givenLogin, invalid, refusals } from "./policies.ts";
import { granted } from "./stored.ts";

const {
  listLoginPolicySecondFactors,
  addSecondFactorToLoginPolicy,
  removeSecondFactorFromLoginPolicy,
} = ManagementService.method;
const admin = AdminService.method;

const { OTP, U2F, OTP_EMAIL, OTP_SMS, UNSPECIFIED } = SecondFactorType;
const type = OTP;
const added = "policy.login.second.factor.added";
const removed = "policy.login.second.factor.removed";

runCases("ListLoginPolicySecondFactors", [
  row("lists those of the organization", listLoginPolicySecondFactors, async ({ server }) => ({
    request: {},
    headers: on(await givenLogin(server, { secondFactors: [] })),
    expected: {
      ok: ({ result, details }) => expect([result, details?.totalResult]).toEqual([[], 0n]),
    },
  })),
  row("lists those of the default", listLoginPolicySecondFactors, async ({ server }) => {
    await givenDefaults(server);
    return {
      request: {},
      headers: on(await givenOrganization(server)),
      expected: {
        async ok({ result, details }) {
          expect([result, details?.totalResult]).toEqual([[OTP], 1n]);
          expect(details?.processedSequence).toBe((await server.store.head()).position);
        },
      },
    };
  }),
]);

runCases("AddSecondFactorToLoginPolicy", [
  row("adds it", addSecondFactorToLoginPolicy, async ({ server }) => {
    const owner = await givenLogin(server, { secondFactors: [] });
    return {
      request: { type },
      headers: on(owner),
      expected: {
        ok: (_answer, events) =>
          expect(events).toMatchObject([{ stream: `loginPolicy-${owner}`, type: added, owner }]),
      },
    };
  }),
  row("refuses one that is there", addSecondFactorToLoginPolicy, async ({ server }) => ({
    request: { type },
    headers: on(await givenLogin(server)),
    expected: refusals.unchanged,
  })),
  row("refuses where there is no policy", addSecondFactorToLoginPolicy, async ({ server }) => ({
    request: { type },
    headers: on(await givenOrganization(server)),
    expected: refusals.notFound,
  })),
  ...[UNSPECIFIED, U2F, OTP_EMAIL, OTP_SMS].map((other) =>
    row(
      `refuses the type ${SecondFactorType[other]}`,
      addSecondFactorToLoginPolicy,
      async ({ server }) => ({
        request: { type: other },
        headers: on(await givenLogin(server)),
        expected: invalid("type"),
      }),
    ),
  ),
]);

runCases("RemoveSecondFactorFromLoginPolicy", [
  row("removes it", removeSecondFactorFromLoginPolicy, async ({ server }) => ({
    request: { type },
    headers: on(await givenLogin(server)),
    expected: { ok: (_answer, events) => expect(events).toMatchObject([{ type: removed }]) },
  })),
  row("refuses one that is not there", removeSecondFactorFromLoginPolicy, async ({ server }) => ({
    request: { type },
    headers: on(await givenLogin(server, { secondFactors: [] })),
    expected: refusals.unchanged,
  })),
  row(
    "refuses where there is no policy",
    removeSecondFactorFromLoginPolicy,
    async ({ server }) => ({
      request: { type },
      headers: on(await givenOrganization(server)),
      expected: refusals.notFound,
    }),
  ),
  row(
    "keeps the last where one is forced",
    removeSecondFactorFromLoginPolicy,
    async ({ server }) => ({
      request: { type },
      headers: on(await givenLogin(server, { forceMfa: true })),
      expected: refusals.noWayIn,
    }),
  ),
  row(
    "refuses one that this service does not have",
    removeSecondFactorFromLoginPolicy,
    async ({ server }) => ({
      request: { type: U2F },
      headers: on(await givenLogin(server)),
      expected: invalid("type"),
    }),
  ),
]);

runCases("the second factors of the instance", [
  row("are listed", admin.listLoginPolicySecondFactors, async ({ server }) => {
    await givenDefaults(server);
    return { request: {}, expected: { ok: ({ result }) => expect(result).toEqual([OTP]) } };
  }),
  row("are removed", admin.removeSecondFactorFromLoginPolicy, async ({ server }) => {
    await givenDefaults(server);
    return {
      request: { type },
      expected: {
        ok: (_answer, events) =>
          expect(events).toMatchObject([{ stream: "loginPolicy-1", type: removed }]),
      },
    };
  }),
  row("are added", admin.addSecondFactorToLoginPolicy, async ({ server, call }) => {
    await givenDefaults(server);
    granted(await call(admin.removeSecondFactorFromLoginPolicy, { type }));
    return {
      request: { type },
      expected: {
        ok: (_answer, events) =>
          expect(events).toMatchObject([{ stream: "loginPolicy-1", type: added }]),
      },
    };
  }),
  row("are not added twice", admin.addSecondFactorToLoginPolicy, async ({ server }) => {
    await givenDefaults(server);
    return { request: { type }, expected: refusals.unchanged };
  }),
  row("are none but the one", admin.addSecondFactorToLoginPolicy, () => ({
    request: { type: OTP_SMS },
    expected: invalid("type"),
  })),
]);
