import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

const changing = "api/changing.ts";
const mask = "gateway/call/mask.ts";

/** Mistakes of updates of a part, and of those that expect a sequence. */
export const changingFaults: readonly Fault[] = [
  [
    "any sequence expected",
    at("execute/judge.ts", "isStill ? decision :", "isStill || true ? decision :"),
  ],
  [
    "a sequence that tells of what is elsewhere",
    at(
      "execute/judge.ts",
      "expectedPosition === undefined || conceals(decision.rejection)",
      "expectedPosition === undefined",
    ),
  ],
  ["a sequence of no effect", at("api/call.ts", "context.values.get(expectedKey)", "undefined")],
  [
    "what a mask does not name lost",
    at(changing, "localName in current ?", 'localName in current && localName === "" ?'),
  ],
  ["fields judged apart", at(changing, "broken.length > 0", "broken.length > 100")],
  ["what a mask does not name judged", at(mask, "left.has(member)", "!left.has(member)")],
  [
    "what a mask does not name taken",
    at(mask, "for (const field of left)", "for (const field of [])"),
  ],
  ["a mask of ids", at(mask, "[...others,", "[")],
  ["any names in a mask", at(mask, "named > 0 && named === paths.size", "named >= 0")],
  [
    "one redirect URI more",
    at("domain/app/change.ts", "before.length < redirect", "before.length <= redirect"),
  ],
  [
    "defaults left out of what is read",
    at("gateway/form/message.ts", "^(?:Get|List)[A-Z]", "^(?:Get|List)[a-z]"),
  ],
];

/** What must find them. */
export const changingParts: readonly (readonly string[])[] = [
  ["test/cases/(?:made/changing|mask|app-settings)\\."],
  ["test/gateway/form/defaults\\.", "test/cases/app-busy\\."],
];
