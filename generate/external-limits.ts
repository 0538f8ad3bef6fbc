import { trialLimits } from "../src/api/idp/template.ts";
import { comerLimits } from "../src/domain/comer.ts";
import { nestingLimits } from "../src/domain/nesting.ts";
import { externalLimits } from "../src/domain/registration/register-external.ts";
import { discoveryLimits } from "../src/provider/external/discovery.ts";
import { answerLimits } from "../src/provider/external/http.ts";
import { jwtLimits } from "../src/provider/external/jwt.ts";
import { type Group, group } from "./limit-group.ts";

const unused = "the answer is refused: `UNUSABLE`";
const waits = "the page says so; no account is created";

/** The bounds of logins by identity providers. */
export const externalGroups: readonly Group[] = [
  group(
    "Logins by identity providers",
    "src/domain/registration/register-external.ts",
    externalLimits,
    {
      askMs: ["Milliseconds that somebody may take at a provider", "the login has expired"],
      createdOfAddress: ["Accounts created from one network address within an hour", waits],
      createdOfSite: ["Accounts created from one IPv6 /48 within an hour", waits],
      createdOfMachine: ["Accounts created without a known network address within an hour", waits],
      createdMs: ["Milliseconds of that hour", "accounts are counted anew"],
    },
  ),
  group(
    "Configurations of OpenID providers",
    "src/provider/external/discovery.ts",
    discoveryLimits,
    {
      providers: ["Providers whose configuration is remembered", "the first is asked again"],
      keptMs: ["Milliseconds for which it is remembered", "the provider is asked again"],
      skewSeconds: ["Seconds by which the clock of a provider may differ", "nobody is logged in"],
    },
  ),
  group("Answers of identity providers", "src/provider/external/http.ts", answerLimits, {
    bytes: ["Bytes of an answer", unused],
    values: ["Values of an answer: each `,`, `[` and `{` counts as one", unused],
  }),
  group("Nested JSON", "src/domain/nesting.ts", nestingLimits, {
    depth: [
      "Lists and objects in each other, in what a provider says of somebody and in the context of a test",
      "nobody is logged in; the test is refused with `INVALID_FIELDS`",
    ],
  }),
  group("Trials of identity providers", "src/api/idp/template.ts", trialLimits, {
    trialsPerDay: ["Trials of one organization in a day", "refused with `TOO_MANY_CALLS`"],
  }),
  group("Tokens of JWT providers", "src/provider/external/jwt.ts", jwtLimits, {
    ageSeconds: ["Seconds since such a token was issued", "nobody is logged in"],
    skewSeconds: ["Seconds by which the clock of a provider may differ", "nobody is logged in"],
    providers: ["Providers whose keys are remembered", "the first is asked again"],
    handleMs: ["Milliseconds of the address to which a token leads", "the login has expired"],
  }),
  group("What actions make of a person", "src/domain/comer.ts", comerLimits, {
    metadata: ["Keys of metadata that actions ask for in one login", "the others are lost"],
  }),
];
