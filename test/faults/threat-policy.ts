import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Those of policies; see `threat.ts`. */
export const policyFaults: { readonly [row: string]: readonly Fault[] } = {
  "a policy that is passed by": [
    [
      "rules of the first page alone",
      at("provider/login/onward.ts", "await withPolicyOf(site, open.policy, found)", "open.policy"),
    ],
    [
      "a scope that relaxes rules",
      at("provider/base/policy.ts", "stricter(ofLogin, ofScope)", "ofScope"),
    ],
    [
      "a password that is taken though none is asked for",
      at("provider/login/factor.ts", "if (!policy.allowPassword) return", "if (false) return"),
    ],
    [
      "a passkey that is taken though none is asked for",
      at(
        "provider/login/passkey.ts",
        "if (!policy.allowPasskeys) return await firstAgain(open, { isRefused: true });\n  const",
        "const",
      ),
    ],
    [
      "a second factor that is forced in vain",
      at(
        "domain/policy/obey.ts",
        "forceMfa && !isMultiFactor(shown)",
        "forceMfa && shown.length === 0",
      ),
    ],
    [
      "sessions of before that go on",
      at(
        "provider/library/library.ts",
        "return !(await goesOn(",
        "return false && !(await goesOn(",
      ),
    ],
    [
      "a lifetime that ends no session",
      at("domain/user/state/session.ts", "nowMs - lifetimeMs", "nowMs - loginLimits.sessionMs"),
    ],
  ],
};
