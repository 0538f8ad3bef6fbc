import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Those of what is recorded of who did what, and from where; see `threat.ts`. */
export const recordFaults: { readonly [row: string]: readonly Fault[] } = {
  "failures in the victim's name": [
    [
      "wrong passwords tried, and mails asked for, by their victim",
      at("provider/base/decide.ts", " actor: stranger,", " actor: id,"),
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
      at("provider/token/keys.ts", `actor: "provider",`, `actor: "operator",`),
    ],
  ],
  "a whole address in the log for good": [
    [
      "networks of one address",
      at("port/peer.ts", `.slice(0, 3).join(".")}.0/24`, `.slice(0, 4).join(".")}/32`),
    ],
    [
      "networks of IPv6 of one subscriber",
      at("port/peer.ts", "groupsOf(address).slice(0, 3)", "groupsOf(address).slice(0, 4)"),
    ],
    [
      "networks in events whatever is set",
      at("provider/base/from.ts", "eventNetworks && network", "network"),
    ],
    [
      "names of browsers in events",
      at("provider/base/from.ts", "? { network } : {}", "? { ...arguments[1] } : {}"),
    ],
    [
      "failures from nowhere",
      at(
        "provider/login/factor.ts",
        "{ factor, ...eventFrom(site, fromOf(visit.request)) }",
        "{ factor }",
      ),
    ],
    [
      "logins from nowhere",
      at("provider/library/grant.ts", "    ...eventFrom(parts, from),\n", ""),
    ],
  ],
  "a session that nobody knows again": [
    [
      "sessions kept without where they are",
      at("provider/library/patches.ts", `, "from" satisfies keyof Traces`, ""),
    ],
    [
      "the login taken for the last use",
      at(
        "provider/library/adapter.ts",
        "usedMs: parts.now() }",
        "usedMs: (payload.loginTs ?? 0) * 1_000 }",
      ),
    ],
    [
      "what a browser calls itself shown",
      at(
        "text/user-agent.ts",
        "return { browser: nameIn(browsers), system: nameIn(systems) };",
        "return { browser: userAgent, system: nameIn(systems) };",
      ),
    ],
    [
      "the network of this machine shown",
      at(
        "pages/html/account/sessions.ts",
        "network === undefined || /",
        "network === undefined && /",
      ),
    ],
    [
      "what is kept of a session stays behind it",
      at(
        "provider/library/ending.ts",
        "ended.sessionIds) await removeTraces",
        "ended.sessionIds) if (sessionId === undefined) await removeTraces",
      ),
    ],
  ],
  "addresses made up in the log": [
    [
      "any peer believed for whom it calls",
      at(
        "port/peer.ts",
        "forwardedFor !== undefined && direct.isProxy",
        "forwardedFor !== undefined",
      ),
    ],
    [
      "what is no address in the log",
      at("port/peer.ts", "return network === undefined ? undefined : address;", "return address;"),
    ],
    [
      "names of programs of any length",
      at("gateway/call/client.ts", "given.slice(0, userAgentCharactersMax)", "given"),
    ],
    [
      "control characters in names of programs",
      at("gateway/call/client.ts", String.raw`.replaceAll(/\p{C}/gu, "")`, ""),
    ],
    [
      "where a request comes from not noted",
      at("gateway/server.ts", "    noteClient(request, clientOf);\n", ""),
    ],
    [
      "where a request comes from noted of what Fastify can read",
      at("gateway/server.ts", "    noteClient(request, clientOf);\n", ""),
      at(
        "gateway/server.ts",
        "    if (!stopping.signal.aborted) return done();",
        "    noteClient(request.raw, clientOf);\n    if (!stopping.signal.aborted) return done();",
      ),
    ],
    [
      "logins that leave no line",
      at("provider/provider.ts", "return loggedPages(inUnits, parts);", "return pages;"),
    ],
    [
      "requests of the provider without an id",
      at("provider/base/record.ts", `  reply.header("x-request-id", requestId);\n`, ""),
    ],
  ],
  "CVE-2024-47070": [
    [
      "what is no address has no share",
      at("port/peer.ts", "isUnreadable ? unreadableAddress :", "isUnreadable ? undefined :"),
    ],
  ],
};
