import type { Fault } from "./fault.ts";

/** Mistakes in saying who is locked. */
export const lockFaults: readonly Fault[] = [
  [
    "who is locked read as active",
    [
      "../../api/user/read.ts",
      "untilMs === undefined ? statusOf(state) :",
      "true ? statusOf(state) :",
    ],
  ],
  [
    "who is locked found as active",
    [
      "../../api/user/query.ts",
      `matchAll([matchOne("state", [state]), { kind: "not", filter: hasLock }])`,
      `matchOne("state", [state])`,
    ],
  ],
  [
    "a lock that never ends found",
    ["../../api/user/query.ts", "value: sortableTime(nowMs)", "value: sortableTime(0)"],
  ],
  [
    "who is out of use found as locked",
    ["../../api/user/query.ts", "[hasLock, isInUse]", "[hasLock]"],
  ],
];
