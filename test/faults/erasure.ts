import type { Fault } from "./fault.ts";

/** Mistakes of the lists of erasures. */
export const erasureFaults: readonly Fault[] = [
  [
    "erased person of a restored log left there",
    ["../../log/open-history.ts", "      await erasures.begin(execute);\n", ""],
  ],
  [
    "erasure of a forged line carried out",
    [
      "../../log/read-entries.ts",
      "if (seal?.isSealed(entry) ?? true)",
      "if (seal === undefined || entry.log.length > 0)",
    ],
  ],
  [
    "erasure not listed",
    ["../../log/erasures.ts", "const added = lists.map(", "const added = lists.slice(9).map("],
  ],
  [
    "list of erasures not filled from the log",
    ["../../log/open-history.ts", "      erasures.follow();\n", ""],
  ],
  [
    "entries of one list not added to the others",
    ["../../log/erasures.ts", "lists.map((list) => list.add(entries))", "[]"],
  ],
  [
    "line joined to one that was cut",
    ["../../file.ts", '? "" : "\\n";\n    await file', '? "" : "";\n    await file'],
  ],
  ["line joined to a list by a link", ["../../file.ts", "O_CREAT | O_NOFOLLOW;", "O_CREAT;"]],
  [
    "list read by a link",
    ["../../file.ts", "constants.O_RDONLY | constants.O_NOFOLLOW", "constants.O_RDONLY"],
  ],
  [
    "start held up by a pipe",
    ["../../file.ts", "open(path, flags | constants.O_NONBLOCK,", "open(path, flags,"],
  ],
  [
    "pipe taken for a list",
    ["../../file.ts", "if (!stats.isFile()) throw", "if (stats.isDirectory()) throw"],
  ],
  [
    "line of a list counted each time it stands there",
    ["../../log/read-entries.ts", "    if (seen.has(line)) continue;\n", ""],
  ],
  [
    "others held up by a long list",
    ["../../log/read-entries.ts", "=== 0) await turn();", "< 0) await turn();"],
  ],
  [
    "outbox left as it is when somebody is erased",
    ["../../log/erasures.ts", "          heard();\n          const", "          const"],
  ],
  [
    "outbox left as it is when another node erases somebody",
    ["../../log/erasures.ts", "if (entries.length > 0) heard();", ""],
  ],
  [
    "who is erased during a look into the outbox passed over",
    [
      "../../notify/channel/outbox-sweep.ts",
      "    isToLook = true;\n    looking",
      "    isToLook = !looking;\n    looking",
    ],
  ],
  [
    "mail left that was written as its reader was erased",
    [
      "../../notify/channel/outbox.ts",
      "if (await isOfErased(message.id, store)) await",
      "if (message.id === path) await",
    ],
  ],
  [
    "list that cannot be written not told",
    ["../../log/erasures.ts", "warnings: [...warnings, ...ofLists]", "warnings"],
  ],
  [
    "erased person who is there again passed over by verify",
    ["../verify/erasures.ts", "isErased || !streams.has(stream)", "true"],
  ],
  [
    "emptied list passed over by verify",
    ["../verify/erasures.ts", "if (isErased && !streams.has(stream)) lacks(stream);", ""],
  ],
  [
    "forged line passed over by verify",
    ["../../log/erasure-proof.ts", "if (before.forged > 0) {", "if (before.forged > 9) {"],
  ],
  [
    "erasure behind a checkpoint taken for proved",
    ["../verify/erasures.ts", "isErasing(type) && position <= through", "isErasing(type)"],
  ],
  [
    "erasure before a checkpoint not taken for proved",
    [
      "../verify/erasures.ts",
      "isErasing(type) && position <= through",
      "isErasing(type) && position < 0n",
    ],
  ],
  [
    "erasures behind a checkpoint named, and no failure",
    [
      "../../operate/command/prove.ts",
      "isAttested || accepted !== undefined ? 0 : 1",
      "isAttested || accepted !== undefined ? 0 : 0",
    ],
  ],
  [
    "person who is removed meanwhile erased once more",
    ["../../domain/user/erase.ts", 'if (!past.isRemoved) return reject("CONFLICT");', ""],
  ],
  [
    "removed person erased by each who asks at once",
    [
      "../../execute/execute.ts",
      "return version !== stored.version;",
      "return isNew && version !== stored.version;",
    ],
  ],
  [
    "file written anew that a service has open",
    ["../sqlite/vacuum-file.ts", 'db.pragma("locking_mode = EXCLUSIVE");', ""],
  ],
  [
    "part of a list taken for all of it",
    ["../../log/erasure-places.ts", "if (isCut)", "if (!isOk)"],
  ],
  [
    "restored page with what was there before it was split",
    ["../sqlite/copy-file.ts", "overwriteDeleted(copy, true);", ""],
  ],
];
