import type { LoginPolicy } from "../../../src/domain/policy/login.ts";
import { fc } from "../../harness/laws.ts";

/** Any login policy. */
export const loginPolicies = fc
  .record<LoginPolicy>({
    ...{ allowPassword: fc.boolean(), allowPasskeys: fc.boolean(), forceMfa: fc.boolean() },
    ...{ hidePasswordReset: fc.boolean(), allowRegister: fc.boolean() },
    allowExternal: fc.boolean(),
    secondFactors: fc.constantFrom([], ["OTP"]),
    sessionLifetimeMs: fc.constantFrom(300_000, 3_600_000, 86_400_000),
    registerDomains: fc.subarray(["a.com", "b.com", "c.com"]),
  })
  .chain((one) => {
    const { sessionLifetimeMs: _none, ...without } = one;
    const registerDomains = one.allowRegister ? one.registerDomains : [];
    return fc.constantFrom({ ...one, registerDomains }, { ...without, registerDomains });
  });
