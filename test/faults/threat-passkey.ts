import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Those of logging in with a passkey; see `threat.ts`. */
export const passkeyFaults: { readonly [row: string]: readonly Fault[] } = {
  "a passkey shown elsewhere": [
    [
      "passkeys shown to any site",
      at(
        "provider/login/passkey.ts",
        "expectedOrigin: origin,",
        `expectedOrigin: JSON.parse(Buffer.from(fields.of("clientDataJSON"), "base64url").toString()).origin,`,
      ),
    ],
    [
      "passkeys for any service",
      at(
        "provider/login/passkey.ts",
        "expectedRPID: hostname,",
        `expectedRPID: [hostname, "evil.example.com"],`,
      ),
    ],
    [
      "a challenge good as often as one likes",
      at("provider/login/passkey.ts", "kept === undefined || uses !== 1 ?", "kept === undefined ?"),
    ],
    [
      "a challenge good in every login",
      at(
        "provider/login/passkey.ts",
        "function keyOf(uid: string, challenge: string): string {",
        `function keyOf(uid: string, challenge: string): string {\n  uid = "";`,
      ),
    ],
    [
      "devices that know nobody",
      at(
        "provider/login/passkey.ts",
        "requireUserVerification: true",
        "requireUserVerification: false",
      ),
    ],
    [
      "copies of passkeys",
      at("domain/user/login/passkey.ts", "if (!counts || used.counter", "if (true || used.counter"),
    ],
    [
      "passkeys of people who were not asked",
      at("provider/login/passkey.ts", "counter === undefined || !isAsked", "counter === undefined"),
    ],
  ],
};
