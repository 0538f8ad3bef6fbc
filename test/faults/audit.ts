import type { Fault } from "./fault.ts";

/** Mistakes in the check of a log while it is served. */
export const auditFaults: readonly Fault[] = [
  [
    "what a read finds stops nothing",
    ["../../log/open-history.ts", "...storage, fault, found }", "...storage, fault }"],
  ],
  ["log not checked anew", ["../../log/audit.ts", "callOff = after(problem", "void (problem"]],
  [
    "check that failed begun anew after a day",
    ["../../log/audit.ts", "problem === undefined ? everyMs : retryMs", "everyMs + 0 * retryMs"],
  ],
  ["positions not counted", ["../verify/sealed.ts", "events !== end", "false"]],
  [
    "versions of objects not compared",
    ["../verify/sealed.ts", "isAlone && newest !== version", "isAlone && false"],
  ],
  [
    "events not looked for by an index",
    ["chain.ts", "columns.indexed === columns.position", "true"],
  ],
  [
    "events below position 1 counted",
    ["../verify/queries.ts", "count(*) FILTER (WHERE position > 0)", "count(*)"],
  ],
  [
    "indexes and triggers of others not looked for",
    ["verify/seals-thread.ts", "isAlone ? await pieces", "!isAlone ? await pieces"],
  ],
  [
    "tables of another schema not checked while they are served",
    ["tables.ts", "if (found === made) return", "if (found > 0) return"],
  ],
  ["warning of a check for ever", ["../../log/audit.ts", "      problem = undefined;\n", ""]],
];
