import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

const steps = "gateway/call/steps.ts";

/** Mistakes of the steps that calls take on both wires, and of what both read. */
export const gatewayFaults: readonly Fault[] = [
  ["strangers not counted", at(steps, "takeShare, enterGate", "enterGate")],
  ["no gate before the body", at(steps, "takeShare, enterGate", "takeShare")],
  [
    "values of the path left out",
    at(steps, "countMessage, fillPath, check", "countMessage, check"),
  ],
  ["rules of fields not checked", at(steps, "fillPath, checkRules, confirm", "fillPath, confirm")],
  ["message not judged", at(steps, "checkRules, confirmCaller]", "checkRules]")],
  ["what a call holds kept", at(steps, "= [giveBack, logCall]", "= giveBack && [logCall]")],
  [
    "answer of a call that is over held for good",
    at(
      "gateway/native/call.ts",
      "      if (call.isOver) return;\n      // While it is compressed",
      "      // While it is compressed",
    ),
  ],
  ["calls not logged", at(steps, "= [giveBack, logCall]", "= logCall && [giveBack]")],
  [
    "ready while it drains",
    at("gateway/server.ts", "if (ends.draining.aborted) return", "if (!ends) return"),
  ],
  [
    "connections of HTTP/1.1 kept in a drain",
    at("port/port.ts", "isLast = draining || ", "isLast = "),
  ],
  [
    "calls done behind the last of a connection",
    at(
      "port/pipelining.ts",
      "      full.add(socket);\n    },\n    endAfter",
      "      void socket;\n    },\n    endAfter",
    ),
  ],
  ["connections of HTTP/2 kept in a drain", at("port/age.ts", " && !isDraining()", "")],
  [
    "what streams sent last not counted",
    at("gateway/call/answers.ts", "last = answers.keep(heldIn(message), over);", ""),
  ],
  [
    "what streams sent last counted for good",
    at(
      "gateway/call/answers.ts",
      "  } finally {\n    last?.end();",
      "  } finally {\n    void last;",
    ),
  ],
  [
    "what a stream sent before its last counted",
    at("gateway/call/answers.ts", "      last?.end();\n      yield", "      yield"),
  ],
  [
    "streams ended for what they sent though there is room",
    at("gateway/call/answers.ts", "if (keptBytes <= stream", "if (keptBytes < stream"),
  ],
  [
    "an answer with a token counts by its bytes alone",
    at("gateway/call/answers.ts", "lease.hold(0, leastBytes)", "lease"),
  ],
  [
    "an answer with a token counts as one that waits before it can be read",
    at("gateway/call/answers.ts", "bytes < leastBytes ? 0 : leastBytes", "leastBytes"),
  ],
  [
    "a large answer that is compressed counts by its bytes alone",
    at("gateway/call/answers.ts", "bytes < leastBytes ? 0 : leastBytes", "0"),
  ],
  [
    "an answer that waits and is compressed counts by its bytes alone",
    at("gateway/call/budget.ts", "given, leastBytes = least)", "given, leastBytes = 0)"),
  ],
  [
    "bodies that are over heard still",
    at("gateway/call/receive.ts", 'body.off("data", take).off("end", end);', ""),
  ],
  [
    "a body taken before all of it is there",
    at("gateway/call/receive.ts", "String(bytes) !== announced", "Number(announced) < bytes"),
  ],
  [
    "a body taken that is larger than it may be",
    at(
      "gateway/call/receive.ts",
      " || bytes > messageBytes) return undefined;",
      ") return undefined;",
    ),
  ],
  [
    "a body taken for which there is no room",
    at(
      "gateway/call/receive.ts",
      "if (!lease.hold(Math.max(bytes, leastBytes)))",
      "if (bytes < 0)",
    ),
  ],
  [
    "a body of HTTP/2 taken before its end",
    at("gateway/call/receive.ts", "!(body instanceof IncomingMessage) || ", ""),
  ],
  ["a body whose end nobody reads", at("gateway/call/receive.ts", "  body.resume();\n", "")],
  [
    "streams that are over heard still",
    at(
      "gateway/native/exchange.ts",
      'stream.once("close", callback)',
      'stream.on("close", callback)',
    ),
  ],
  [
    "listeners left for each piece of an answer",
    at(
      "gateway/native/exchange.ts",
      `await once(writable, "drain", { signal: gone.signal })`,
      `await Promise.race([once(writable, "drain"), once(writable, "close")])`,
    ),
  ],
  ["a drain closes no port", at("gateway/server.ts", "      port.stopListening();\n", "")],
  [
    "what a call takes after its end kept",
    at("gateway/call/call.ts", "if (call.isOver) giveBack();", "if (call.isOver) return;"),
  ],
  [
    "every refusal logged as OK",
    at("gateway/call/call.ts", `error === undefined ? "OK"`, `error !== null ? "OK"`),
  ],
  [
    "connection kept of a sender that is late",
    at("gateway/call/answer-fields.ts", "return stops ?", "return stops && false ?"),
  ],
  [
    "small answers compressed",
    at("gateway/connect/body.ts", "compressMinBytes = 1_024", "compressMinBytes = 1"),
  ],
  [
    "cached answers of one origin served to another",
    at("gateway/cors.ts", `{ vary: "Origin", `, "{ "),
  ],
];

/** Those that show in nothing but a wait without an end: of callers, or of a connection. */
export const gatewayWaiting: readonly string[] = [
  "strangers not counted",
  "connections of HTTP/1.1 kept in a drain",
  "connections of HTTP/2 kept in a drain",
  "a drain closes no port",
];
