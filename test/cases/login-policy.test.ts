import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import {
  MultiFactorType,
  PasswordlessType,
  SecondFactorType,
} from "../../gen/iam/policy/v1/login_policy_pb.js";
import { row, runCases } from "../harness/cases.ts";
import { givenOrganization } from "../harness/server.ts";
import { on } from "./orgs.ts";
import { givenDefaults, givenLogin, invalid, refusals } from "./policies.ts";

const { getLoginPolicy, addCustomLoginPolicy, updateCustomLoginPolicy, resetLoginPolicyToDefault } =
  ManagementService.method;
const admin = AdminService.method;

const both = {
  ...{ allowUsernamePassword: true, allowExternalIdp: true },
  passwordlessType: PasswordlessType.ALLOWED,
};
const stored = {
  ...{ allowPassword: true, allowRegister: false, forceMfa: false, hidePasswordReset: false },
  ...{ allowPasskeys: true, allowExternal: true, registerDomains: [] },
};
const seconds = (count: number) => ({ seconds: BigInt(count), nanos: 0 });

runCases("GetLoginPolicy", [
  row("reads the default where there is no other", getLoginPolicy, async ({ server }) => {
    await givenDefaults(server);
    return {
      request: {},
      headers: on(await givenOrganization(server)),
      expected: {
        ok({ policy, isDefault }) {
          expect(policy).toMatchObject({
            ...{ ...both, allowRegister: false, forceMfa: false, isDefault: true },
            ...{ ignoreUnknownUsernames: true, secondFactors: [SecondFactorType.OTP] },
          });
          expect([isDefault, policy?.sessionLifetime]).toEqual([true, undefined]);
        },
      },
    };
  }),
  row("reads the organization's own", getLoginPolicy, async ({ server }) => ({
    request: {},
    headers: on(
      await givenLogin(server, {
        ...{ allowPassword: false, hidePasswordReset: true, sessionLifetimeMs: 3_600_000 },
        ...{ allowRegister: true, registerDomains: ["example.com"] },
      }),
    ),
    expected: {
      ok({ policy, isDefault }) {
        expect(policy).toMatchObject({
          ...{ allowUsernamePassword: false, hidePasswordReset: true, isDefault: false },
          ...{ allowRegister: true, registerDomains: ["example.com"] },
          sessionLifetime: seconds(3600),
        });
        expect(isDefault).toBe(false);
      },
    },
  })),
]);

/** Each field that has no effect, set. */
const effectless = {
  default_redirect_uri: { defaultRedirectUri: "https://example.com" },
  password_check_lifetime: { passwordCheckLifetime: seconds(1) },
  external_login_check_lifetime: { externalLoginCheckLifetime: seconds(1) },
  mfa_init_skip_lifetime: { mfaInitSkipLifetime: seconds(1) },
  second_factor_check_lifetime: { secondFactorCheckLifetime: seconds(1) },
  multi_factor_check_lifetime: { multiFactorCheckLifetime: seconds(0) },
  allow_domain_discovery: { allowDomainDiscovery: true },
  disable_login_with_email: { disableLoginWithEmail: true },
  disable_login_with_phone: { disableLoginWithPhone: true },
  force_mfa_local_only: { forceMfaLocalOnly: true },
} as const;

runCases("AddCustomLoginPolicy", [
  row("gives the organization one", addCustomLoginPolicy, async ({ server }) => {
    const owner = await givenOrganization(server);
    return {
      request: {
        ...{ ...both, forceMfa: true, ignoreUnknownUsernames: true, allowRegister: true },
        ...{ sessionLifetime: seconds(300), registerDomains: ["b.com", "a.com", "b.com"] },
        secondFactors: [SecondFactorType.OTP, SecondFactorType.OTP],
      },
      headers: on(owner),
      expected: {
        ok(_answer, events) {
          const stream = `loginPolicy-${owner}`;
          expect(events).toMatchObject([{ stream, type: "policy.login.added", owner }]);
          expect(JSON.parse(events[0]?.payload ?? "")).toEqual({
            ...{ ...stored, forceMfa: true, allowRegister: true, secondFactors: ["OTP"] },
            ...{ sessionLifetimeMs: 300_000, registerDomains: ["a.com", "b.com"], idps: [] },
          });
        },
      },
    };
  }),
  row("refuses a second one", addCustomLoginPolicy, async ({ server }) => ({
    request: both,
    headers: on(await givenLogin(server)),
    expected: refusals.exists,
  })),
  row("refuses one without a way in", addCustomLoginPolicy, async ({ server }) => ({
    request: {},
    headers: on(await givenOrganization(server)),
    expected: refusals.noWayIn,
  })),
  row("refuses to force what nobody can set up", addCustomLoginPolicy, async ({ server }) => ({
    request: { ...both, forceMfa: true },
    headers: on(await givenOrganization(server)),
    expected: {
      ...refusals.noWayIn,
      message:
        "Nobody with a password alone could log in: the policy forces a second factor, and has " +
        "none that people can set up. Add SECOND_FACTOR_TYPE_OTP, or do not allow passwords.",
    },
  })),
  row("names every field that would have no effect", addCustomLoginPolicy, async ({ server }) => ({
    request: {
      ...Object.assign({ ...both }, ...Object.values(effectless)),
      multiFactors: [MultiFactorType.U2F_WITH_VERIFICATION],
      secondFactors: [SecondFactorType.OTP, SecondFactorType.U2F],
      registerDomains: ["example.com"],
    },
    headers: on(await givenOrganization(server)),
    expected: invalid(
      ...Object.keys(effectless).slice(0, 6),
      "multi_factors",
      ...Object.keys(effectless).slice(6),
      "second_factors[1]",
      "register_domains",
    ),
  })),
  ...[299, 301.5, 1_209_601].map((lifetime) =>
    row(`refuses a lifetime of ${lifetime} s`, addCustomLoginPolicy, async ({ server }) => ({
      request: {
        ...both,
        sessionLifetime: {
          seconds: BigInt(Math.floor(lifetime)),
          nanos: (lifetime % 1) * 1e9,
        },
      },
      headers: on(await givenOrganization(server)),
      expected: invalid("session_lifetime"),
    })),
  ),
  row("refuses a host that is none", addCustomLoginPolicy, async ({ server }) => ({
    request: { ...both, allowRegister: true, registerDomains: ["a.com", "@b.com"] },
    headers: on(await givenOrganization(server)),
    expected: invalid("register_domains[1]"),
  })),
]);

runCases("UpdateCustomLoginPolicy", [
  row("replaces all but the second factors", updateCustomLoginPolicy, async ({ server }) => {
    const owner = await givenLogin(server, { sessionLifetimeMs: 600_000, hidePasswordReset: true });
    return {
      request: { ...both, forceMfa: true },
      headers: on(owner),
      expected: {
        async ok(_answer, events) {
          expect(JSON.parse(events[0]?.payload ?? "")).toEqual({ ...stored, forceMfa: true });
          const [row] = await server.store.load([`loginPolicy-${owner}`]);
          const kept = { secondFactors: ["OTP"], idps: [], organization: owner, isOwn: true };
          expect(JSON.parse(row?.state ?? "")).toEqual({ ...stored, forceMfa: true, ...kept });
        },
      },
    };
  }),
  row("refuses what it says already", updateCustomLoginPolicy, async ({ server }) => ({
    request: both,
    headers: on(await givenLogin(server)),
    expected: refusals.unchanged,
  })),
  row("refuses where there is none", updateCustomLoginPolicy, async ({ server }) => ({
    request: both,
    headers: on(await givenOrganization(server)),
    expected: refusals.notFound,
  })),
  row("refuses one without a way in", updateCustomLoginPolicy, async ({ server }) => ({
    request: { ...both, forceMfa: true },
    headers: on(await givenLogin(server, { secondFactors: [] })),
    expected: refusals.noWayIn,
  })),
  ...Object.entries(effectless).map(([field, set]) =>
    row(`refuses ${field}, which has no effect`, updateCustomLoginPolicy, async ({ server }) => ({
      request: { ...both, ...set },
      headers: on(await givenLogin(server)),
      expected: invalid(field),
    })),
  ),
]);

runCases("ResetLoginPolicyToDefault", [
  row("leaves the default", resetLoginPolicyToDefault, async ({ server }) => ({
    request: {},
    headers: on(await givenLogin(server)),
    expected: {
      ok: (_answer, events) => expect(events).toMatchObject([{ type: "policy.login.removed" }]),
    },
  })),
  row("refuses where there is none", resetLoginPolicyToDefault, async ({ server }) => ({
    request: {},
    headers: on(await givenOrganization(server)),
    expected: refusals.notFound,
  })),
]);

runCases("the login policy of the instance", [
  row("is read", admin.getLoginPolicy, async ({ server }) => {
    await givenDefaults(server);
    return {
      request: {},
      expected: { ok: ({ policy }) => expect(policy).toMatchObject({ ...both, isDefault: true }) },
    };
  }),
  row("is replaced", admin.updateLoginPolicy, async ({ server }) => {
    await givenDefaults(server);
    return {
      request: { ...both, sessionLifetime: seconds(1_209_600) },
      expected: {
        ok: (_answer, events) =>
          expect(events).toMatchObject([
            {
              ...{ stream: "loginPolicy-1", type: "policy.login.changed" },
              owner: server.admin.organization,
            },
          ]),
      },
    };
  }),
  row("is not replaced by the same", admin.updateLoginPolicy, async ({ server }) => {
    await givenDefaults(server);
    return { request: both, expected: refusals.unchanged };
  }),
  row("is not replaced by one without a way in", admin.updateLoginPolicy, () => ({
    request: { forceMfa: true },
    expected: refusals.noWayIn,
  })),
  row("keeps the same rules", admin.updateLoginPolicy, () => ({
    request: { ...both, allowDomainDiscovery: true, sessionLifetime: seconds(1) },
    expected: invalid("session_lifetime", "allow_domain_discovery"),
  })),
]);
