import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Those of logging in; see `threat.ts`. */
export const loginFaults: { readonly [row: string]: readonly Fault[] } = {
  "CVE-2025-64103": [
    [
      "one of two factors is enough",
      at("provider/onward.ts", `return state.human?.otpSecret !== undefined &&`, "return false &&"),
    ],
  ],
  "passwords guessed at once": [
    [
      "tries counted when they have failed",
      at("provider/tries.ts", "> loginLimits.failures", "> Number.MAX_VALUE"),
    ],
  ],
  "a stored hash as the secret": [
    [
      "what is kept compared with what is shown",
      at(
        "provider/library.ts",
        `isHashOf(this.clientSecret ?? "", shownSecret)`,
        "this.clientSecret === shownSecret",
      ),
    ],
  ],
  "a form of another site": [
    [
      "logins sent from anywhere",
      at("provider/login.ts", `from !== undefined && from !== "same-origin"`, "false"),
    ],
  ],
};
