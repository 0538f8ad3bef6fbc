import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Those of rows that somebody writes who has no key; see `threat.ts`. */
export const forgedFaults: { readonly [row: string]: readonly Fault[] } = {
  "a session that somebody wrote": [
    [
      "rows of artifacts believed without a look at the MAC",
      at("store/chain/artifact-mac.ts", " || !isSame(macOf(row), row.mac)", ""),
    ],
    [
      "uses of artifacts that are not sealed",
      at("store/chain/artifact-mac.ts", `, \`\${uses}\`]`, "]"),
    ],
  ],
  "a token that somebody puts back": [
    [
      "grants that come back though their end is recorded",
      at("provider/token/granted.ts", "if (hasEnded(", 'if (grant.jti === "" && hasEnded('),
    ],
    [
      "ends of grants that name none",
      at("provider/library/reuse.ts", "{ clientId, kind, grant }", "{ clientId, kind }"),
    ],
    [
      "tokens that were given back whose grant is not remembered",
      at("provider/library/reuse.ts", "{ clientId, grant }", "{ clientId }"),
    ],
  ],
};
