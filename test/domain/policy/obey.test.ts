import { describe, expect, test } from "@jest/globals";
import { login } from "../../../src/domain/policy/login.ts";
import { isKept, type Lack, lackOf, type Next, nextOf } from "../../../src/domain/policy/obey.ts";
import { acrOf } from "../../../src/domain/user/login/acr.ts";
import type { Factor } from "../../../src/domain/user/state/factor.ts";

const { defaults } = login;
const forced = { ...defaults, forceMfa: true };

describe("what a policy has against a login", () => {
  test.each<[Lack | undefined, Partial<typeof defaults>, readonly Factor[]]>([
    [undefined, {}, ["password"]],
    [undefined, {}, ["passkey"]],
    ["not allowed", { allowPassword: false }, ["password", "otp"]],
    [undefined, { allowPassword: false }, ["passkey"]],
    ["not allowed", { allowPasskeys: false }, ["passkey"]],
    [undefined, { allowPasskeys: false }, ["password"]],
    [undefined, {}, ["external"]],
    ["not allowed", { allowExternal: false }, ["external"]],
    ["not allowed", { allowExternal: false }, ["external", "otp"]],
    [undefined, { allowExternal: false }, ["password"]],
    [undefined, { allowPassword: false, allowPasskeys: false }, ["external"]],
    ["second factor", { forceMfa: true }, ["external"]],
    [undefined, { forceMfa: true }, ["external", "otp"]],
    ["second factor", { forceMfa: true }, ["password"]],
    [undefined, { forceMfa: true }, ["password", "otp"]],
    [undefined, { forceMfa: true }, ["password", "recovery"]],
    [undefined, { forceMfa: true }, ["passkey"]],
    ["second factor", { forceMfa: true }, []],
    ["not allowed", { forceMfa: true, allowPassword: false }, ["password"]],
  ])("is %s: %j, %j", (lack, policy, shown) => {
    expect(lackOf({ ...defaults, ...policy }, shown)).toBe(lack);
  });
});

describe("what comes next", () => {
  const human = { passkeys: [], passwordless: [], externalIDPs: [] } as never as Parameters<
    typeof nextOf
  >[1];
  const withApp = { ...human, otpSecret: "sealed" };
  test.each<[Next | undefined, typeof defaults, typeof human, readonly Factor[]]>([
    [undefined, defaults, human, ["password"]],
    ["otp", defaults, withApp, ["password"]],
    ["otp", forced, withApp, ["password"]],
    [undefined, forced, withApp, ["password", "otp"]],
    ["change", forced, { ...human, passwordChangeRequired: true }, ["password"]],
    ["setup", forced, human, ["password"]],
    ["setup", forced, human, ["external"]],
    ["otp", defaults, withApp, ["external"]],
    [undefined, forced, withApp, ["external", "otp"]],
    [undefined, { ...forced, allowExternal: false }, withApp, ["external"]],
    // Nobody has shown a password that is to be changed.
    [undefined, defaults, { ...human, passwordChangeRequired: true }, ["external"]],
    [undefined, { ...forced, secondFactors: [] }, human, ["password"]],
    [undefined, { ...forced, allowPassword: false }, withApp, ["password"]],
    // A policy that lets nobody set an app up takes none away.
    ["otp", { ...defaults, secondFactors: [] }, withApp, ["password"]],
  ])("is %s", (next, policy, who, shown) => {
    expect(nextOf(policy, who, shown)).toBe(next);
  });
});

test("a session goes on as long as the policy lets it", () => {
  const session = { factors: ["password"], begunMs: 1_000 } as const;
  const policy = { ...defaults, sessionLifetimeMs: 300_000 };
  expect(isKept(policy, session, 300_999)).toBe(true);
  expect(isKept(policy, session, 301_000)).toBe(false);
  expect(isKept(defaults, session, Number.MAX_SAFE_INTEGER)).toBe(true);
  expect(isKept(forced, session, 1_000)).toBe(false);
  const elsewhere = { ...session, factors: ["external"] as const };
  expect(isKept(defaults, { ...elsewhere, external: { idpId: "idp" } }, 1_000)).toBe(true);
  expect(isKept(defaults, elsewhere, 1_000)).toBe(false);
});

test.each<[string | undefined, readonly Factor[], readonly string[] | undefined]>([
  ["urn:iam:acr:pwd", ["password"], undefined],
  ["urn:iam:acr:mfa", ["password", "otp"], undefined],
  ["urn:iam:acr:mfa", ["password", "recovery"], undefined],
  ["urn:iam:acr:mfa", ["passkey"], undefined],
  ["urn:iam:acr:pwd", ["passkey"], ["urn:iam:acr:pwd"]],
  ["urn:iam:acr:mfa", ["passkey"], ["urn:iam:acr:pwd", "urn:iam:acr:mfa"]],
  [undefined, ["password"], ["urn:iam:acr:mfa"]],
  [undefined, ["passkey"], ["urn:example:gold"]],
  [undefined, ["passkey"], []],
])("the class is %s of %j where %j is wanted", (acr, shown, wanted) => {
  expect(acrOf(shown, wanted)).toBe(acr);
});
