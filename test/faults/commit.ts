import type { Fault } from "./fault.ts";

const answer = "return () => resolve(result);";

/** Mistakes in committing batches, in living with other processes, in opening and in closing. */
export const commitFaults: readonly Fault[] = [
  ["no transaction", ["commit.ts", "begin.run();", ""], ["commit.ts", "commit.run();", ""]],
  ["DEFERRED instead of IMMEDIATE", ["commit.ts", `"BEGIN IMMEDIATE"`, `"BEGIN DEFERRED"`]],
  ["synchronous NORMAL", ["connection.ts", `"synchronous = FULL"`, `"synchronous = NORMAL"`]],
  ["synchronous not set", ["connection.ts", `db.pragma("synchronous = FULL");`, ""]],
  [
    "refusal answered before COMMIT",
    [
      "commit.ts",
      answer,
      `if (Object(result).kind !== "appended") resolve(result);\n          ${answer}`,
    ],
  ],
  ["append answered before COMMIT", ["commit.ts", answer, `resolve(result);\n          ${answer}`]],
  [
    "failure of COMMIT ignored",
    ["commit.ts", "commit.run();", "try { commit.run(); } catch { rollback.run(); }"],
  ],
  [
    "own reads see an open transaction",
    ["commit.ts", "return () => {\n    const started", "return async () => {\n    const started"],
    ["commit.ts", "const done = commitBatch();", "const done = await commitBatch();"],
    ["commit.ts", "commit.run();", "await turn();\n      commit.run();"],
  ],
  [
    "rollback missing",
    ["commit.ts", "      undo();\n      if (!is", "      transactions.end(false);\n      if (!is"],
  ],
  [
    "rollback missing before the first write",
    ["commit.ts", "      undo();\n      if (isB", "      transactions.end(false);\n      if (isB"],
  ],
  [
    "one bad append fails its batch",
    ["commit.ts", "isPassing(error) ? undefined : batch[answers.length]", "undefined"],
  ],
  [
    "neighbours of a bad append moved to the end",
    ["commit.ts", "waiting.unshift(...batch.filter(", "waiting.push(...batch.filter("],
  ],
  [
    "neighbours of a bad append forgotten",
    ["commit.ts", "waiting.unshift(...batch.filter((other) => other !== culprit));", ""],
  ],
  [
    "batch cap ignored",
    [
      "commit.ts",
      "const batch = waiting.splice(0, batchAppends);",
      "const batch = waiting.splice(0);",
    ],
  ],
  ["no wait for more appends", ["commit.ts", "turns < gatherTurns && ", "turns < 1 && "]],
  ["wait for appends without end", ["commit.ts", "turns < gatherTurns && ", ""]],
  ["wait for appends past a batch", ["commit.ts", " && before < batchAppends", ""]],
  ["wait for appends where none come", ["commit.ts", "waiting.length === before", "false"]],
  ["queue without a limit", ["commit.ts", "waiting.length >= limits.waitingAppends", "false"]],
  ["queue limit off by one", ["commit.ts", ">= limits.waitingAppends", "> limits.waitingAppends"]],

  ["busy error not retried", ["commit.ts", `if (isBusy(error)) return "busy";`, ""]],
  [
    "busy opening not retried",
    ["connection.ts", "if (!isBusy(error) || performance", "if (isPassing(error) || performance"],
  ],
  ["busy append retried forever", ["commit.ts", "rejectOverdue();\n        if", "if"]],
  [
    "fresh appends rejected with the overdue",
    [
      "commit.ts",
      "waiting.splice(0, first < 0 ? waiting.length : first)",
      "waiting.splice(0, first === 0 ? 0 : waiting.length)",
    ],
  ],
  [
    "event loop blocked by a lock",
    ["connection.ts", "{ timeout: limits.busyTimeoutMs }", "{ timeout: limits.busyDeadlineMs }"],
  ],
  [
    "SQLite's own error instead of StoreUnavailable",
    ["connection.ts", "if (cause instanceof StoreUnavailable) return cause;", "return cause;"],
  ],
  ["full disk blamed on one append", ["connection.ts", `  "SQLITE_IOERR",\n`, ""]],
  [
    "no WAL",
    ["connection.ts", "journal_mode = WAL", "journal_mode = DELETE"],
    ["connection.ts", `mode !== "wal"`, "!mode"],
  ],
  ["readable by everybody", ["connection.ts", `"wx", 0o600`, `"wx", 0o644`]],
  ["newer projection ignored", ["commit.ts", "      assertNotTaken();\n", ""]],
  ["always ready", ["looks.ts", "lock.immediate();", "{}"]],
  ["ready on a full disk", ["sqlite.ts", "if (isPassing(error.cause)) looks.wrote(false);", ""]],
  ["never ready after a full disk", ["looks.ts", "      writes = true;\n", ""]],
  ["closing before the queue is empty", ["sqlite.ts", "await commits.drain();", ""]],
  ["closed store still accepts", ["sqlite.ts", "assertOpen();\n    trust.assert", "trust.assert"]],
];
