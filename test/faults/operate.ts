import type { Fault } from "./fault.ts";

/** Mistakes of what operators do at the machine. */
export const operateFaults: readonly Fault[] = [
  [
    "an event before the first taken for the beginning",
    [
      "../../operate/cut.ts",
      "const last = position > 0n ? await",
      "const last = position > -1n ? await",
    ],
  ],
  [
    "an event before the first taken for one of the log's own",
    ["../../operate/cut.ts", "position > 0n && position <= until", "position <= until"],
  ],
  [
    "an instance made beside a copy that was cut off",
    [
      "../../log/in-file.ts",
      "if (isThere || (await statIfThere(draft)) === undefined)",
      "if (true)",
    ],
  ],
  [
    "export cut by a full disk taken for whole",
    ["../../log/transfer.ts", "target.appendFile(text);", "target.write(text);"],
  ],
  [
    "output that a full disk lost taken for written",
    ["../../main.ts", 'if (code === "EPIPE") return;', "if (code !== undefined) return;"],
  ],
  [
    "key of a backup with the mode of the key",
    [
      "../../operate/backup.ts",
      "(draft) => writeFile(draft, key));",
      "async (draft) => (await import('node:fs/promises')).copyFile(keyFileIn(dataDir), draft));",
    ],
  ],
  [
    "export without its end",
    ["../../log/transfer.ts", "if (last !== undefined) lines +=", "if (false) lines +="],
  ],
  [
    "import of a cut export",
    [
      "../../log/transfer.ts",
      "  if (isEnded) return;\n  throw",
      "  if (isEnded || true) return;\n  throw",
    ],
  ],
  [
    "link of a first start left for any token",
    [
      "../../start/first-start.ts",
      "return state ? hasToken(state, tokenHash, nowMs) && isActiveOwner(state) : false;",
      "return stream !== undefined;",
    ],
  ],
  [
    "mark of a first start removed without a word",
    ["../../start/unfinished.ts", "if (!isOurs) log.warn", "if (false) log.warn"],
  ],
  [
    "first start that was cut off done without a word",
    ["../../start/unfinished.ts", "else if (isMarked)", "else if (!isMarked)"],
  ],
  [
    "link of a first start left for a token of anybody",
    ["../../start/first-start.ts", "&& isActiveOwner(state)", "&& state.isInactive !== true"],
  ],
  [
    "forged row told as a defect",
    ["../../config/sentence.ts", "error instanceof Forged", "error instanceof TypeError"],
  ],
  [
    "disk without room told as a defect",
    ["../../config/sentence.ts", '  ["ENOSPC", "make', '  ["", "make'],
  ],
  [
    "end of an export not compared",
    [
      "../../log/transfer.ts",
      "end?.position === position && isSame(end.link, link)",
      "end !== undefined",
    ],
  ],
  [
    "export goes on behind its end",
    ["../../log/transfer.ts", "log === undefined || isEnded || ", "log === undefined || "],
  ],
  [
    "quotas forgotten by an import",
    ["recount.ts", "        counting.keep(plan, Number(time));\n", ""],
  ],
  [
    "waiting mails due at once after an import",
    ["recount.ts", "due: plan.due.get(message)", "due: Number(time)"],
  ],
  [
    "rotation over another's",
    ["../../operate/keys.ts", "if ((await readIfThere(path)) !== text) {", "if (false) {"],
  ],
  [
    "forged event in a log that is cut",
    ["../../operate/cut.ts", " && check(event, before.link).length === 0) return;", ") return;"],
  ],
  [
    "gap in a log that is cut",
    ["../../operate/cut.ts", "if (event.position === next && check", "if (check"],
  ],
  [
    "draft of a backup left where a signal ends it",
    ["../../operate/backup.ts", "rmSync(draft + end, { force: true });", ""],
  ],
  [
    "backup left without its head",
    ["../../operate/backup.ts", "for (const one of made) await removeFile(one);", "void made;"],
  ],
  [
    "erasure behind a cut not repeated",
    ["../../operate/cut.ts", "const said = [...(await erasures.again()), {", "const said = [{"],
  ],
  [
    "erasure of what is not in a cut log repeated",
    ["../../operate/cut-erasures.ts", "isNeeded && position > until", "position > until"],
  ],
  [
    "forged erasure behind a cut believed",
    ["../../operate/cut-erasures.ts", "if (check(by, undefined).length > 0) continue;", ""],
  ],
  [
    "cut of a log from which somebody took payloads",
    ["../../operate/cut.ts", "if (!erasures.explains(one)) {", "if (!erasures.explains) {"],
  ],
  ["whole log cut", ["../../operate/cut.ts", "  if (fault === undefined) {", "  if (false) {"]],
  [
    "directory of a copy that is refused",
    ["../../operate/copy.ts", "await assertEmpty(dataDir, [", "await makeEmpty(dataDir, ["],
    [
      "../../operate/copy.ts",
      "import { assertEmpty, type Says, sayKey }",
      "import { makeEmpty, type Says, sayKey }",
    ],
  ],
  [
    "time of a backup written over the one before",
    [
      "../../log/last-backup.ts",
      "await replace(join(dataDir, backupFile),",
      'await (await import("node:fs/promises")).writeFile(join(dataDir, backupFile),',
    ],
    ["../../log/last-backup.ts", "toISOString()}\\n`, random);", "toISOString()}\\n`);"],
  ],
  [
    "backup as a file in place of a directory",
    ["../../operate/backup.ts", "if (!isForDirectory && ", "if (false && "],
  ],
  [
    "what was left out not named",
    ["../../operate/cut.ts", "{ stream, version, type: cut.type, owner, payload }];", "];"],
  ],
  [
    "retired key in front again",
    ["../../operate/keys.ts", "keyIdOf(check) === keyId)) return true;", "!keyId)) return true;"],
  ],
  [
    "link to the key file replaced",
    ["../../operate/keys.ts", "path: await realpath(given)", "path: given"],
  ],
  [
    "changed keys not told",
    [
      "../../start/key-watch.ts",
      "return found?.map(({ id }) => id).join() !== keyIds.join();",
      "return found === undefined && keyIds.length === 0;",
    ],
  ],
  ["log behind a link opened", ["connection.ts", "  assertNoLink(path);\n", ""]],
  [
    "stray error told to a log that has ended",
    ["../../start/logger.ts", "    stream.write = () => true;\n", ""],
  ],
  [
    "path of a head told to anybody",
    ["../../log/head-places.ts", "if (error instanceof FileUnusable) return", "if (false) return"],
  ],
];
