import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

const [steps, pending] = ["provider/login/register.ts", "provider/base/pending-registration.ts"];

/** Mistakes of registering. */
export const registerFaults: readonly Fault[] = [
  [
    "one try of a code to register too many",
    at(pending, "if (uses < registerLimits.failures)", "if (uses <= registerLimits.failures)"),
  ],
  [
    "tries of a code to register not counted",
    at(
      pending,
      `const [uses = 0] = await artifacts.write([{ kind: "use", key }]);`,
      "const uses = 1;",
    ),
  ],
  [
    "registration goes on where the policy ended it",
    at(
      steps,
      "const mayRegister = policy.allowRegister && organization",
      "const mayRegister = policy !== undefined && organization",
    ),
  ],
  [
    "steps behind the code without it",
    at(steps, "pending?.isProven && isHere ?", "pending && isHere ?"),
  ],
  [
    "any domain to register with",
    at(
      steps,
      "if (!isOfDomains(given.email, open.policy.registerDomains)) {",
      "if (isAsked === undefined) {",
    ),
  ],
  [
    "a subdomain for a domain",
    at(
      "domain/registration/domains.ts",
      "domains.includes(",
      "domains.some((one) => host.endsWith(one)) || domains.includes(",
    ),
  ],
  [
    "tries of an earlier mail count for the next",
    at(
      pending,
      `    { kind: "remove", key },\n    { kind: "put", artifact },`,
      `    { kind: "put", artifact },`,
    ),
  ],
  [
    "any number of requests from the networks of one site",
    at("provider/base/tries.ts", "around, asksOfSite)", "around, 1e6)"),
  ],
  [
    "any number of names tried",
    at("provider/base/tries.ts", "id, registerLimits.names)", "id, 1_000)"),
  ],
  [
    "a mail after its code was shown",
    at(
      "notify/registration.ts",
      "pending === undefined || pending.isProven",
      "pending === undefined",
    ),
  ],
];
