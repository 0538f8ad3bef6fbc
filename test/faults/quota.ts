import type { Fault } from "./fault.ts";

/** Mistakes in counting messages against their quotas, and in keeping what was used. */
export const quotaFaults: readonly Fault[] = [
  ["quotas not kept", ["append.ts", "quotas.keep(plan, append.timeMs);", ""]],
  [
    "quotas that refuse are patient",
    ["../quota-plan.ts", "if (!quota.isPatient && ", "if (false && "],
  ],
  ["patient quotas refuse", ["../quota-plan.ts", "if (!quota.isPatient && ", "if ("]],
  [
    "quotas used by a refused append",
    [
      "../quota-plan.ts",
      "usageAt(quota, before, dueMs) }] : [];",
      "usageAt(quota, before, dueMs) }] : [...used.values()];",
    ],
  ],
  [
    "quotas do not wait for those before",
    ["../quota-plan.ts", "dueMs = roomMs;", "dueMs = timeMs;"],
  ],
  [
    "quotas of one append counted once",
    ["../quota-plan.ts", "earlier?.usage ?? usageOf(digest)", "usageOf(digest)"],
  ],
  [
    "quota said to be spent each time",
    ["../quota-plan.ts", ".filter(({ isNews }) => isNews)", ".filter(() => true)"],
  ],
  [
    "quota never said to be spent",
    ["../quota-plan.ts", ".filter(({ isNews }) => isNews)", ".filter(() => false)"],
  ],
  ["quotas not swept", ["quota.ts", "sweep.run(timeMs, 2 * kept.length);", ""]],
  ["quotas swept in use", ["quota.ts", "WHERE clear <= ?", "WHERE clear - 1 <= ?"]],
  [
    "quotas kept under their names",
    [
      "../quota-plan.ts",
      'createHash("sha256").update(claimKey(claim)).digest()',
      "Buffer.from(claimKey(claim))",
    ],
  ],
  [
    "quota waits for a clock that was set back",
    ["../quota-plan.ts", "isAhead(quota, before, dueMs);", "dueMs < 0;"],
  ],
  [
    "quotas forgotten by a rebuild",
    ["rebuild.ts", `  "answers",\n`, `  "answers",\n  "quotas",\n`],
  ],
  [
    "messages due anew after a rebuild",
    ["rebuild.ts", "UPDATE messages SET due = pending.due, since", "UPDATE messages SET since"],
  ],
  [
    "what waits for its quota hurried",
    ["message.ts", "WHERE due > @farMs AND attempts > 0", "WHERE due > @farMs"],
    ["message.ts", "UPDATE messages INDEXED BY messages_tried SET", "UPDATE messages SET"],
  ],
  ["first due time moved by a lease", ["message.ts", "Number(since)", "nowMs"]],
];
