import type { Fault } from "./fault.ts";

/** Mistakes in reading long lists in a thread. */
export const threadFaults: readonly Fault[] = [
  [
    "list from a file that is another",
    [
      "sqlite.ts",
      "    files.assertSame();\n    return reader.list(query);",
      "    return reader.list(query);",
    ],
    ["reader.ts", "if (!isSame) files.assertSame();", ""],
  ],
  [
    "thread reads an old moment",
    ["reader-thread.ts", "const list = ", `db.exec("BEGIN; SELECT 1 FROM events");\nconst list = `],
  ],
  [
    "thread serves forged objects",
    ["reader-thread.ts", "prepareObjects(createStateMac(identity))", "toObject"],
    [
      "reader-thread.ts",
      'import { prepareObjects } from "../object-row.ts";',
      'import { toObject } from "../verify/rows.ts";',
    ],
    ["reader-thread.ts", `import { createStateMac } from "../chain/state.ts";\n`, ""],
  ],
  [
    "forged objects in the thread not told",
    ["reader-thread.ts", "if (error instanceof Forged)", "if (false)"],
  ],
  ["lists left to a thread that has ended", ["reader.ts", "      thread = undefined;\n", ""]],
  ["loop without end", ["list.ts", "inTime(mayGoOn,", "inTime(() => true,"]],
  ["asked behind other conditions", ["pace.ts", "iif(${mixed} & ", "iif(first > 0 OR ${mixed} & "]],
  [
    "rows that ask told by their positions",
    ["pace.ts", "${BigInt(factor)} >>", "${2_654_435n} >>"],
  ],
  [
    "factor that is not looked at",
    ["pace.ts", "isEven(factor * distance)", "factor * distance > 0"],
  ],
  ["loop of half the rows", ["read.ts", "left + paceRows > 0", "left > 0"]],
  ["thread that never ends", ["reader-thread.ts", "performance.now() < untilMs && ", ""]],
  [
    "one list more may wait",
    ["reader.ts", "waitingMax: waitingLists", "waitingMax: waitingLists + 1"],
  ],
  [
    "one list less may wait",
    ["reader.ts", "waitingMax: waitingLists", "waitingMax: waitingLists - 1"],
  ],
  ["lists of all in one line", ["reader.ts", "slots.run(asker?.name,", "slots.run(undefined,"]],
  ["list whose caller is gone read", ["reader.ts", "await ask(), asker?.signal", "await ask()"]],
  ["turn for who came first", ["../../slots.ts", "a.latest - b.latest", "0"]],
  [
    "lists that wait taken for trouble of the storage",
    ["../turns.ts", 'why: "lists-overloaded"', 'why: "passing"'],
  ],
];
