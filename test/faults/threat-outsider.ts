import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Those of whoever meddles with the logins of others; see `threat.ts`. */
export const outsiderFaults: { readonly [row: string]: readonly Fault[] } = {
  "CVE-2025-52553": [
    [
      "any value of the cookie of a login taken for its secret",
      at(
        "provider/library/binding.ts",
        "return shown !== undefined && isHashOf(browserHash, shown);",
        "return shown !== undefined;",
      ),
    ],
    [
      "the way back to a login told to any browser",
      at("provider/login/reset.ts", " && hasBegun(request, site, { ...login, uid })", ""),
    ],
  ],
};
