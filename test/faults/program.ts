import type { Fault } from "./fault.ts";

/** Mistakes of the clock. */
export const clockFaults: readonly Fault[] = [
  [
    "events dated before those of others",
    ["../../log/clock.ts", "{ ...append, behindMs: overlapMs() }", "append"],
  ],
  [
    "time of others not learned from a refusal",
    ["../../log/clock.ts", "clock.see(await store.head());\n        refused", "refused"],
  ],
  [
    "clock that is behind taken for one that overlaps",
    ["../../log/clock.ts", "if (refused === 0) return 0;", "if (refused === 0) refused = 1;"],
  ],
  [
    "dates behind the newest event",
    ["../../log/clock.ts", "Math.max(latestMs, settledOffsetMs", "Math.max(0, settledOffsetMs"],
  ],
  [
    "dates of old events believed",
    ["../../log/clock.ts", "if (event.position <= newest.position) return;", ""],
  ],
  [
    "clock followed back",
    [
      "../../log/clock.ts",
      "if (isSettled && !isBack) settledOffsetMs",
      "if (isSettled) settledOffsetMs",
    ],
  ],
  [
    "clock believed at once",
    [
      "../../log/clock.ts",
      "const isSettled = evenMs - jumpedMs >= clockLimits.settleMs;",
      "const isSettled = true;",
    ],
  ],
  [
    "clock settled one millisecond late",
    ["../../log/clock.ts", "jumpedMs >= clockLimits", "jumpedMs > clockLimits"],
  ],
  [
    "small jump unsettles the clock",
    [
      "../../log/clock.ts",
      "> clockLimits.jumpMaxMs) jumpedMs",
      ">= clockLimits.jumpMaxMs) jumpedMs",
    ],
  ],
  [
    "no jump unsettles the clock",
    ["../../log/clock.ts", "> clockLimits.jumpMaxMs) jumpedMs", "< 0) jumpedMs"],
  ],
  [
    "what was accepted of the clock taken back",
    ["../../log/clock.ts", "aheadMs = Math.max(aheadMs, ms);", "aheadMs = ms;"],
  ],
  [
    "writing while the clock is behind",
    [
      "../../log/clock.ts",
      "    append: async (append) => {\n      if (isBehind() || isRefusing) await assertInTime();",
      "    append: async (append) => {",
    ],
  ],
  [
    "ready while the clock is behind",
    [
      "../../log/clock.ts",
      "      await store.ready();\n      await assertInTime();",
      "      await store.ready();",
    ],
  ],
  [
    "clock a little behind refuses",
    [
      "../../log/clock.ts",
      "clock.behindMs() > clockLimits.behindMaxMs;",
      "clock.behindMs() >= clockLimits.behindMaxMs;",
    ],
  ],
  [
    "accepted clock not recorded",
    [
      "../../log/clock.ts",
      "decide: (states) => acceptClock(states.instance, aheadMs)",
      "decide: (states) => acceptClock(states.instance, 0)",
    ],
  ],
];

/** Mistakes with heads that are kept outside of the log. */
export const headFaults: readonly Fault[] = [
  [
    "older head over a newer one",
    [
      "../../log/heads.ts",
      "there !== undefined && !isDecided",
      "there !== undefined && !isDecided && there.position < position",
    ],
  ],
  [
    "head of now not written where it is decided",
    ["../../log/heads.ts", "there !== undefined && !isDecided", "there !== undefined"],
  ],
  [
    "head not written at the end",
    ["../../log/heads.ts", "if (waiting > 0) await writeOnce(false);", ""],
  ],
  [
    "head not written after appends",
    ["../../log/heads.ts", "for (const one of kept) one.heard(events.length);", ""],
  ],
  [
    "head written beside another process",
    ["../../log/heads.ts", "place.isShared ? lock.alone(put) : put()", "put()"],
  ],
  ["head not tried again", ["../../log/heads.ts", "      writeAfter(limits.retryMs);\n", ""]],
  [
    "head that fails told each time",
    ["../../log/heads.ts", "if (why !== problem) {", "if (why) {"],
  ],
  [
    "head that is kept again not told",
    [
      "../../log/heads.ts",
      "if (problem !== undefined) lines.info",
      "if (problem === null) lines.info",
    ],
  ],
  ["lag of heads not told", ["../../log/heads.ts", "Math.max(figures[name] ?? 0, lag, 0)", "0"]],
  ["head that anybody wrote believed", ["../../log/heads.ts", " && isSealed(head, key)", ""]],
  [
    "head of another log believed",
    ["../chain/head.ts", "if (log !== id) return", "if (id === undefined) return"],
  ],
  [
    "log that ends before its head taken",
    ["../chain/head.ts", "if (position > end) return", "if (end < 0n) return"],
  ],
  [
    "log with another past than its head taken",
    ["../chain/head.ts", "isSame(link, head.link))) return", "link !== head.link)) return"],
  ],
  [
    "MAC of a head without its time",
    ["../chain/head.ts", "[log, position, link, time])", "[log, position, link])"],
  ],
  [
    "MAC of a head by the key of events",
    [
      "../chain/head.ts",
      `createHmac("sha256", subkeyOf(key, "iam head"))`,
      `createHmac("sha256", key)`,
    ],
  ],
  [
    "head not compared at the start",
    ["../../log/history.ts", "if (fault !== undefined) return", "if (fault === null) return"],
  ],
  [
    "unsealed head compared",
    ["../../log/history.ts", "if (!isSealed(head, key)) return", "if (!head) return"],
  ],
  [
    "log without its heads taken",
    [
      "../../log/history.ts",
      "if (missing.size === places.length && !isShared) {",
      "if (missing.size < 0) {",
    ],
  ],
  [
    "backup not looked at",
    ["../../log/history.ts", "if (other !== undefined) {", "if (other === null) {"],
  ],
];

/** Mistakes in reading the tokens of pages. */
export const pageFaults: readonly Fault[] = [
  [
    "token of a page for any order",
    [
      "../../api/page-token.ts",
      "const isOfOrder = piecesOf(order).every((part, i) => pieces[i] === part);",
      "const isOfOrder = true;",
    ],
  ],
  ["token with more than a place", ["../../api/page-token.ts", " || more.length > 0", ""]],
  ["token of a page of any number", ["../../api/page-token.ts", "{1,18}$/.test", "+$/.test"]],
  [
    "token of a page without its text",
    ["../../api/page-token.ts", '"string" : "undefined")', "typeof folded : typeof folded)"],
  ],
  [
    "token of a page with more than its text",
    ["../../api/page-token.ts", '"string" : "undefined")', '"string" : typeof folded)'],
  ],
];

/** Mistakes in answering calls that are repeated. */
export const onceFaults: readonly Fault[] = [
  [
    "repeat told of no position",
    ["../../api/once.ts", "setSequence(method.output, message, event?.position ?? 0n);", ""],
  ],
  [
    "repeat with another body answered",
    ["../../api/once.ts", "isSame(found.request, print) ? readKept", "print ? readKept"],
  ],
  [
    "repeat answered whatever the caller lost",
    ["../../api/once.ts", "holdsAll(caller?.memberships ?? [], memberships)", "memberships"],
  ],
  [
    "repeat not said to be one",
    ["../../api/once.ts", "context.responseHeader.set(replayedHeader", "void (replayedHeader"],
  ],
  [
    "repeat that came meanwhile refused",
    [
      "../../api/once.ts",
      "const meanwhile = await repeat(keyed, print, context);",
      "const meanwhile = undefined;",
    ],
  ],
  [
    "answer with its secret kept for long",
    [
      "../../api/once.ts",
      "withoutSecrets(output, fromBinary(output, bytes))",
      "fromBinary(output, bytes)",
    ],
  ],
  [
    "key of a call for any method",
    [
      "../../secrets/answer-seal.ts",
      "JSON.stringify([caller, method, key])",
      "JSON.stringify([caller, key])",
    ],
  ],
  [
    "key of a call for any caller",
    [
      "../../secrets/answer-seal.ts",
      "JSON.stringify([caller, method, key])",
      "JSON.stringify([method, key])",
    ],
  ],
  [
    "answer opened without the token",
    [
      "../../secrets/answer-seal.ts",
      'hkdfSync("sha256", token, key',
      'hkdfSync("sha256", caller, key',
    ],
  ],
];
