import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Faults in what the provider says to applications and people that no threat is behind. */
export const providerFaults: readonly Fault[] = [
  [
    "a grant that is not allowed is a malformed request",
    at("provider/library/standards.ts", `isAskedFor("token", "grant_type", type)`, "false"),
  ],
  [
    "a response type that is not allowed is a malformed request",
    at("provider/library/standards.ts", "if (!isAllowed && isAsked) throw", "if (false) throw"),
  ],
  [
    "no issuer beside an id token",
    at("provider/library/standards.ts", "{ iss: provider.issuer }", "{}"),
  ],
  [
    "a secret in the body for nobody at introspection",
    at(
      "provider/token/client-auth.ts",
      "if (!oidcHasSecret(authMethod)) return",
      `if (!oidcHasSecret(authMethod) || fields.of("client_secret") !== "") return`,
    ),
  ],
  [
    "the first of two proofs taken",
    at(
      "provider/token/client-auth.ts",
      "if (ways > 1) return malformed",
      "if (ways > 3) return malformed",
    ),
  ],
  [
    "two clients in one request",
    at("provider/token/client-auth.ts", `named !== "" && named !== id`, "false"),
  ],
];
