import { describe, expect, test } from "@jest/globals";
import {
  type LoginPolicy,
  login,
  loginPolicyLimits,
  registerDomainProblem,
  removeSecondFactor,
  sessionLifetimeProblem,
  stricter,
} from "../../../src/domain/policy/login.ts";
import { addPolicy, changePolicy } from "../../../src/domain/policy/policy.ts";
import { fc } from "../../harness/laws.ts";
import { loginPolicies as policies } from "./policies.ts";

const { sessionLifetimeMsMin, sessionLifetimeMsMax } = loginPolicyLimits;

describe("login policies", () => {
  const no = { allowPassword: false, allowPasskeys: false };
  const forced = { forceMfa: true, secondFactors: [] };
  test.each<[string | undefined, Partial<LoginPolicy>]>([
    [undefined, {}],
    [undefined, { allowPassword: false }],
    [undefined, { allowPasskeys: false }],
    ["NO_WAY_IN", no],
    [undefined, { forceMfa: true }],
    [undefined, { forceMfa: true, allowPasskeys: false }],
    ["NO_WAY_IN", forced],
    ["NO_WAY_IN", { ...forced, allowPasskeys: false }],
    [undefined, { ...forced, allowPassword: false }],
    ["NO_WAY_IN", { ...no, forceMfa: true }],
  ])("answer %s to %j", (reason, given) => {
    const policy = { ...login.defaults, ...given };
    expect(addPolicy(login, undefined, policy).rejection?.reason).toBe(reason);
    const { secondFactors, ...settings } = { ...policy, hidePasswordReset: true };
    const before = { ...login.defaults, secondFactors };
    expect(changePolicy(login, before, settings).rejection?.reason).toBe(reason);
  });

  test("keep the last second factor while one is forced", () => {
    const policy = { ...login.defaults, forceMfa: true };
    expect(removeSecondFactor(policy, "OTP").rejection?.reason).toBe("NO_WAY_IN");
    expect(
      removeSecondFactor({ ...policy, allowPassword: false }, "OTP").rejection,
    ).toBeUndefined();
  });

  test.each([
    [sessionLifetimeMsMin / 1_000 - 1, false],
    [sessionLifetimeMsMin / 1_000, true],
    [300.5, false],
    [301, true],
    [sessionLifetimeMsMax / 1_000, true],
    [sessionLifetimeMsMax / 1_000 + 1, false],
    [0, false],
    [-300, false],
  ])("let sessions last %d s: %s", (seconds, isAllowed) => {
    expect(sessionLifetimeProblem(seconds * 1e9) === undefined).toBe(isAllowed);
  });

  test.each([
    ...["example.com", "mail.example.co.uk", "xn--bcher-kva.example", "a.b"],
    `${"a".repeat(63)}.com`,
  ])("take the host %s", (domain) => expect(registerDomainProblem(domain)).toBeUndefined());
  test.each([
    ...["", "com", "Example.com", "example.com.", "-a.com", "a-.com", "a..com", "1.2.3.4", "a b.c"],
    ...["bücher.example", "@example.com", "*.example.com", `${"a".repeat(64)}.com`],
    `${"a.".repeat(126)}com`,
  ])("refuse the host %j", (domain) => expect(registerDomainProblem(domain)).toBeDefined());
});

describe("the stricter of two login policies", () => {
  const check = (law: (a: LoginPolicy, b: LoginPolicy, c: LoginPolicy) => void) =>
    fc.assert(fc.property(policies, policies, policies, law));

  test("does not depend on their order", () => {
    check((a, b) => expect(stricter(a, b)).toEqual(stricter(b, a)));
  });
  test("of three does not depend on which are compared first", () => {
    // Who may register is left out: hosts that two have not in common are forgotten.
    const rules = ({ allowRegister: _any, registerDomains: _hosts, ...others }: LoginPolicy) =>
      others;
    check((a, b, c) =>
      expect(rules(stricter(stricter(a, b), c))).toEqual(rules(stricter(a, stricter(b, c)))),
    );
  });
  test("and itself is the policy", () => check((a) => expect(stricter(a, a)).toEqual(a)));

  test("allows nothing that one of them does not allow", () => {
    check((a, b) => {
      const both = stricter(a, b);
      for (const one of [a, b]) {
        expect(one.allowPassword || !both.allowPassword).toBe(true);
        expect(one.allowPasskeys || !both.allowPasskeys).toBe(true);
        expect(one.allowRegister || !both.allowRegister).toBe(true);
        expect(!one.forceMfa || both.forceMfa).toBe(true);
        expect(!one.hidePasswordReset || both.hidePasswordReset).toBe(true);
        expect(both.secondFactors.filter((x) => !one.secondFactors.includes(x))).toEqual([]);
        const { sessionLifetimeMs: most = Infinity } = one;
        expect(both.sessionLifetimeMs ?? Infinity).toBeLessThanOrEqual(most);
        const hosts = both.allowRegister && one.registerDomains.length > 0;
        const beyond = both.registerDomains.filter((x) => !one.registerDomains.includes(x));
        expect(hosts ? [beyond, both.registerDomains.length > 0] : [[], true]).toEqual([[], true]);
      }
    });
  });
});
