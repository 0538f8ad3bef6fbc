import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Faults in what the provider says to applications and people that no threat is behind. */
export const providerFaults: readonly Fault[] = [
  [
    "a grant that is not allowed is a malformed request",
    at("provider/library/patches.ts", `route: "token"`, `route: "nowhere"`),
  ],
  [
    "a response type that is not allowed is a malformed request",
    at("provider/library/patches.ts", `route: "authorization"`, `route: "nowhere"`),
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
  [
    "a wrong redirect URI shown as it looks",
    at("text/visible.ts", "/[!-~]/.test(one) ? one :", "one !== undefined ? one :"),
  ],
  [
    "a wrong redirect URI shown whole",
    at(
      "text/visible.ts",
      "    .slice(0, charactersMax)\n    .map((one) => (/[!-~]/",
      "    .map((one) => (/[!-~]/",
    ),
  ],
  [
    "a wrong redirect URI not shown",
    at("provider/library/screens.ts", "aboutURI.test(description) ?", "aboutURI.test(error) ?"),
  ],
  [
    "no reason in the log for what authorize refuses",
    at(
      "provider/base/record.ts",
      "return told === undefined || repeating.test(told) ?",
      "return told !== error ?",
    ),
  ],
  [
    "an origin that was sent in the log",
    at(
      "provider/base/record.ts",
      "told === undefined || repeating.test(told) ?",
      "told === undefined ?",
    ),
  ],
  [
    "a request that nobody answered logged as answered",
    at(
      "provider/base/record.ts",
      "answer.headersSent ? answer.statusCode : unansweredStatus",
      "answer.statusCode",
    ),
  ],
  [
    "JSON in a browser where there is no page",
    at("gateway/routes.ts", "verbs.length === 0 ? showMissing", "verbs.length < 0 ? showMissing"),
  ],
  [
    "a page for programs where there is no path",
    at(
      "pages/routes.ts",
      "isLink && prefersPage(request.headers.accept) ? missing",
      "isLink ? missing",
    ),
  ],
  [
    "people left at another name of this machine",
    at("pages/routes.ts", "if (home !== undefined) return sendRedirect(reply, home);", ""),
  ],
  ["logins left there", at("provider/routes.ts", `"pages" ? answerAtHome`, `"pages" ? answer`)],
  [
    "people led to another port of this machine",
    at("pages/loopback.ts", "portOf(one) === raw.socket.localPort", "portOf(one) > 0"),
  ],
  [
    "any name led to this one",
    at("pages/loopback.ts", "loopbacks.includes(one.hostname)", "one.hostname.length > 0"),
  ],
  [
    "a defect where the store cannot be read",
    at("provider/library/unavailable.ts", "clientStreams: { of: told(clientStreams.of) },", ""),
  ],
  [
    "a defect where the store cannot be written",
    at("provider/library/unavailable.ts", "ring: { ...ring, family: told(ring.family) },", ""),
  ],
  [
    "a logout that another site confirms",
    at("provider/forms.ts", "    refuseOtherSites(request, publicUrl());\n", ""),
  ],
  [
    "a defect where keys cannot be looked at again",
    at("provider/library/library.ts", "if (now === undefined || !isAway(error)) throw", "throw"),
  ],
  [
    "keys that cannot be read published for good",
    at("provider/library/library.ts", "nowMs - readMs > signingLimits.unreadMs", "nowMs < 0"),
  ],
  [
    "keys that cannot be read published for a minute more",
    at(
      "provider/library/library.ts",
      "if (now !== undefined && Math.abs(",
      "if (made && Math.abs(",
    ),
    at("provider/library/library.ts", "keysMs) return now;", "keysMs) return made;"),
  ],
  [
    "a defect of the keys passed over in silence",
    at("provider/library/library.ts", "now === undefined || !isAway(error)", "now === undefined"),
  ],
  [
    "a defect at the paths that the library has no part in",
    at("provider/routes.ts", `isAway ? "temporarily_unavailable" :`, ""),
    at(
      "gateway/routes.ts",
      "if (known !== undefined) return refuse(request, reply, known, options);",
      "void known;",
    ),
  ],
  [
    "a defect on a page of a login",
    at("gateway/call/errors.ts", "thrown.cause !== undefined", "false"),
  ],
  [
    "a bare word where the session cannot be saved",
    at("provider/library/library.ts", "!thrown.expose) throw", "thrown.status >= 500) throw"),
  ],
];
