import type { Fault } from "./fault.ts";

/** Mistakes in trusting the disk and the files that are open, and in looking after them. */
export const fileFaults: readonly Fault[] = [
  ["pages of a new file as SQLite has them", ["connection.ts", "    choosePages(db);\n", ""]],
  ["pages kept by a vacuum", ["vacuum-file.ts", "    choosePages(db);\n", ""]],
  ["pages kept by a copy", ["copy-file.ts", "    choosePages(db);\n", ""]],
  ["a vacuum beside a WAL", ["vacuum-file.ts", '    db.pragma("journal_mode = DELETE");\n', ""]],
  ["writing on after a failed fsync", ["outcome.ts", "isLost = true;", ""]],
  [
    "failed fsync outside of batches unnoticed",
    ["outcome.ts", "throw judge(error, false);", "throw error;"],
  ],
  [
    "failed fsync before the COMMIT unnoticed",
    ["outcome.ts", "if (!mayAppear && !isUnsynced(cause)) return", "if (!mayAppear) return"],
  ],
  [
    "failed fsync of a directory unnoticed",
    ["outcome.ts", `["SQLITE_IOERR_FSYNC", "SQLITE_IOERR_DIR_FSYNC"]`, `["SQLITE_IOERR_FSYNC"]`],
  ],
  ["lost disk told each time", ["outcome.ts", "if (!isLost) lost(error);", "lost(error);"]],
  ["lost disk never told", ["outcome.ts", "if (!isLost) lost(error);", ""]],
  ["full disk taken for a lost one", ["outcome.ts", `  "SQLITE_FULL",\n`, ""]],
  [
    "commit that may appear called undone",
    ["outcome.ts", "isOfCommit && !isUndone(cause)", "false"],
  ],
  ["writing on into a file that is gone", ["outcome.ts", "files.assertSame();", ""]],
  [
    "batch answered though its file went",
    ["commit.ts", "trust.assertWritable();\n      for", "for"],
  ],

  [
    "WAL that is cut in the middle of a batch unnoticed",
    ["commit.ts", "trust.assertWritable();\n      isOfCommit", "isOfCommit"],
  ],
  [
    "WAL that is cut unnoticed",
    ["open-files.ts", "foundWal.size < walBytes && foundWal.size < walFill().end", "false"],
  ],
  [
    "WAL that SQLite made shorter taken for cut",
    ["open-files.ts", " && foundWal.size < walFill().end", ""],
  ],
  ["header of the WAL not counted", ["connection.ts", "32 + log *", "log *"]],

  [
    "another file at the path unnoticed",
    [
      "open-files.ts",
      "found.dev === open?.dev && found.ino === open.ino",
      "found.dev === open?.dev",
    ],
  ],
  [
    "file that is gone unnoticed",
    ["open-files.ts", "if (found === undefined) return", "if (found === null) return"],
  ],
  ["WAL that is gone unnoticed", ["open-files.ts", "?? changeOf(wal, openWal, foundWal)", ""]],
  [
    "file that was overwritten unnoticed",
    ["open-files.ts", "if (foundLog.size < logBytes)", "if (foundLog.size < 0n)"],
  ],
  [
    "file that came back trusted",
    ["open-files.ts", "        difference = find();", "        const difference = find();"],
    [
      "open-files.ts",
      "if (difference !== undefined) lost(difference);",
      `if (difference !== undefined) lost(difference);
        if (difference !== undefined)
          throw new StoreUnavailable(difference, { why: "file-replaced" });`,
    ],
  ],
  [
    "changed files not told",
    ["open-files.ts", "if (difference !== undefined) lost(difference);", ""],
  ],

  ["room for a page taken for that of appends", ["looks.ts", "zeroblob(?)", "zeroblob(? - ?1)"]],
  ["looks of a full disk that never try", ["looks.ts", "if (!writes) room.take();", ""]],
  [
    "looks of a full disk that try all the time",
    ["looks.ts", "failed !== undefined && nowMs() - failed", "false && failed && nowMs() - failed"],
  ],
  ["room not given back", ["looks.ts", "if (!writes) room.giveBack();", ""]],

  ["nothing brought into the file", ["upkeep.ts", "    void checkpoints.tend();\n", ""]],
  [
    "file of which nobody knows written",
    ["upkeep.ts", "      return;\n    }\n    void check", "    }\n    void check"],
  ],
  ["failing checkpoint not told", ["checkpoints.ts", "failing = codeOf(error);", ""]],
  ["failing checkpoint told for ever", ["checkpoints.ts", "      failing = undefined;\n", ""]],
  [
    "failing checkpoint not tried again",
    ["checkpoints.ts", "    } finally {\n      isMaking = false;\n    }", "    }"],
  ],
  [
    "end of failures told while others last",
    ["../failure-log.ts", "if (!isTold || failing.size > 0) return;", "if (!isTold) return;"],
  ],
  [
    "end of failures told more often than they are",
    [
      "../failure-log.ts",
      "if (!isTold || failing.size > 0) return;",
      "if (failing.size > 0) return;",
    ],
  ],
  ["long WAL not told", ["upkeep.ts", "walBytes > limits.walBytesMax", "walBytes < 0"]],
  [
    "long WAL told one byte too early",
    ["upkeep.ts", "walBytes > limits.walBytesMax", "walBytes >= limits.walBytesMax"],
  ],
  [
    "WAL not checkpointed while it is written",
    ["checkpoints.ts", "end >= limits.checkpointBytes;", "false;"],
  ],
  [
    "WAL checkpointed one byte too late",
    ["checkpoints.ts", "end >= limits.checkpointBytes", "end > limits.checkpointBytes"],
  ],
  ["WAL that has rested not checkpointed", ["checkpoints.ts", "end === restedEnd", "false"]],
  [
    "WAL checkpointed at each look",
    ["checkpoints.ts", "hasRested && end === restedEnd", "hasRested"],
  ],
  [
    "long checkpoint on the event loop",
    ["checkpoints.ts", "pending > limits.checkpointBytesHere", "false"],
  ],
  [
    "what was written beside a long checkpoint left in the WAL",
    ["checkpoints.ts", "else if (!isDone) options.checkpoint();", ""],
  ],
  [
    "WAL that keeps what was erased",
    ["checkpoints.ts", 'emptying = "erased";\n      void look(false);', ""],
  ],
  [
    "deleted bytes that stay",
    ["connection.ts", "    overwriteDeleted(db, true);\n    //", "    //"],
  ],
  [
    "payloads that stay in an erased stream",
    ["erase.ts", "erase.run(erasedPayload,", "void (erasedPayload,"],
  ],
  [
    "erased payload with its salt",
    ["erase.ts", 'Buffer.from(payloadHash(salt, payload), "hex")', "salt"],
  ],
  [
    "payload taken without an erasure not told",
    [
      "../verify/stream.ts",
      "for (const { event, fault } of erasureFaults(events)) tell",
      "for (const { event, fault } of [].slice(0) as ReturnType<typeof erasureFaults>) tell",
    ],
  ],
  [
    "failed sync of a long checkpoint taken for nothing",
    ["checkpoints.ts", "throw trust.judge(error, false);", "throw error;"],
  ],
  [
    "checkpoint that another process made warned of for good",
    ["checkpoints.ts", "(isDone && failing === undefined)", "isDone"],
  ],
  [
    "batch refused for a WAL that another process has emptied",
    ["commit.ts", '!isOfCommit && codeOf(error) === "SQLITE_LOCKED"', "false"],
  ],
  [
    "append that was refused taken for a write",
    ["sqlite.ts", "if (isDone(result)) failures", "failures"],
  ],
  ["ready for a newer program's file", ["looks.ts", "    assertNotTaken();\n", ""]],
  ["written to a newer program's file", ["sqlite.ts", "    parts.assertNotTaken();\n", ""]],
  ["nearly full disk not told", ["upkeep.ts", "freeBytes < limits.freeBytesMin", "freeBytes < 0"]],
  ["warnings told each time", ["upkeep.ts", "    told.add(name);\n", ""]],
  [
    "end of a warning not told",
    ["upkeep.ts", "if (told.delete(name)) log", "if (!told.delete(name) && told.has(name)) log"],
  ],
];
