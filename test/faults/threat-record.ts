import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Those of what is recorded of who did what, and from where; see `threat.ts`. */
export const recordFaults: { readonly [row: string]: readonly Fault[] } = {
  "failures in the victim's name": [
    [
      "wrong passwords tried by their victim",
      at("provider/login/factor.ts", "actor: stranger,", "actor: id,"),
    ],
    [
      "mails asked for by who gets them",
      at("provider/login/forgotten.ts", "actor: stranger,", "actor: id,"),
    ],
    [
      "tokens used twice by whom they are of",
      at("provider/library/reuse.ts", "isGivenBack ? accountId : stranger", "accountId"),
    ],
    [
      "what a refusal leaves is by the actor",
      at("execute/execute.ts", "rejection === undefined ? actor : refusedActor", "actor"),
    ],
    ["the operator taken for the service", at("api/event.ts", "id === operator ? operator :", "")],
    [
      "the first signing key made by the operator",
      at("provider/library/keys.ts", `actor: "provider",`, `actor: "operator",`),
    ],
  ],
  "addresses made up in the log": [
    [
      "any peer believed for whom it calls",
      at(
        "port/peer.ts",
        "forwardedFor !== undefined && isProxy(direct)",
        "forwardedFor !== undefined",
      ),
    ],
    [
      "what is no address in the log",
      at(
        "port/peer.ts",
        `return isIP(address ?? "") === 0 ? undefined : address;`,
        "return address;",
      ),
    ],
    [
      "names of programs of any length",
      at("gateway/client.ts", "given.slice(0, userAgentCharactersMax)", "given"),
    ],
    [
      "control characters in names of programs",
      at("gateway/client.ts", String.raw`.replaceAll(/\p{C}/gu, "")`, ""),
    ],
    [
      "where a request comes from not noted",
      at("gateway/server.ts", "    noteClient(request.raw, clientOf);\n", ""),
    ],
    [
      "requests of the provider without an id",
      at("provider/record.ts", `  reply.header("x-request-id", requestId);\n`, ""),
    ],
  ],
};
