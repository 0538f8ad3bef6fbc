import { describe, expect, test } from "@jest/globals";
import {
  amrOf,
  isShown,
  isStillShown,
  neededFactor,
} from "../../../../src/domain/user/login/rules.ts";
import type { Credential } from "../../../../src/domain/user/state/credential-name.ts";
import type { Factor } from "../../../../src/domain/user/state/factor.ts";
import type { ExternalAccount } from "../../../../src/domain/user/state/factor-traits.ts";
import { person } from "../people.ts";

const { human } = person({ passwordHash: "hash" });
const withApp = { ...human, otpSecret: "sealed" };

describe("what has to be shown yet", () => {
  test.each<readonly [string, typeof human, readonly Factor[], Factor | undefined]>([
    ["nothing behind a password", human, ["password"], undefined],
    ["a code where there is an app", withApp, ["password"], "otp"],
    ["nothing behind that", withApp, ["password", "otp"], undefined],
    ["a code behind a provider, too", withApp, ["external"], "otp"],
    ["nothing behind a provider alone", human, ["external"], undefined],
    ["nothing behind a recovery code", withApp, ["password", "recovery"], undefined],
  ])("is %s", (_, state, shown, expected) => {
    expect(neededFactor(state, shown)).toBe(expected);
  });
});

describe("what was shown", () => {
  const isPassword = (shown: string) => (hash: string) => hash === shown;

  test.each<readonly [string, readonly Factor[], string, boolean]>([
    ["still counts as a password that is the same", ["password"], "hash", true],
    ["counts no more as another one", ["password"], "before", false],
    ["counts no more with a code behind it", ["password", "otp"], "before", false],
    ["counts no more with a recovery code behind it", ["password", "recovery"], "before", false],
    ["counts as a passkey, whatever the password is", ["passkey"], "before", true],
  ])("%s", (_, factors, shown, expected) => {
    const before = { factors, isPassword: isPassword(shown) };
    expect(isStillShown(human, before)).toBe(expected);
  });

  test("is no password where there is none", () => {
    const { passwordHash: _none, ...bare } = human;
    const before = { factors: ["password"], isPassword: isPassword("hash") } as const;
    expect(isStillShown(bare, before)).toBe(false);
  });

  test.each<readonly [string, ExternalAccount | undefined, boolean]>([
    ["the same", { idpId: "acme", externalUserId: "42" }, true],
    ["of another provider", { idpId: "other", externalUserId: "42" }, false],
    ["another of the provider", { idpId: "acme", externalUserId: "4" }, false],
    ["none", undefined, false],
  ])("is an account at a provider that the person has still: %s", (_, external, expected) => {
    const link = { idpId: "acme", externalUserId: "42", displayName: "", maker: "u" };
    const { human: linked } = person({ externalIDPs: [link] });
    const shown = { factors: ["external"], ...(external && { external }) } as const;
    const before = { ...shown, isPassword: isPassword("") };
    expect(isStillShown(linked, before)).toBe(expected);
    expect(isStillShown({ ...linked, externalIDPs: [] }, before)).toBe(false);
    const credential = { kind: "external-account", id: "42", idpId: "acme" } as const;
    expect(isShown(credential, shown)).toBe(expected);
    expect(isShown({ kind: "passkey", id: "42" }, shown)).toBe(false);
  });

  test.each<readonly [Credential, readonly Factor[], boolean]>([
    [{ kind: "password" }, ["password", "otp"], true],
    [{ kind: "password" }, ["passkey"], false],
    [{ kind: "passkey", id: "K" }, ["passkey"], true],
    [{ kind: "passkey", id: "L" }, ["passkey"], false],
    [{ kind: "email" }, ["password", "otp", "recovery", "passkey"], false],
  ])("knows the credential %j by %j", (credential, shown, expected) => {
    const passkey = { credentialId: "K", counter: 1 };
    expect(isShown(credential, { factors: shown, passkey })).toBe(expected);
  });
});

test("methods are named as RFC 8176 has them", () => {
  expect(amrOf(["password", "otp"])).toEqual(["pwd", "otp"]);
  expect(amrOf(["password", "recovery"])).toEqual(["pwd", "otp"]);
  expect(amrOf(["external", "otp"])).toEqual(["fed", "otp"]);
  expect(amrOf(["passkey"])).toEqual(["pop", "user", "mfa"]);
});
