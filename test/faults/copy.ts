import type { Fault } from "./fault.ts";

const fills = "../postgres/fill.ts";
const fill = "../../log/fill.ts";

/** Mistakes of what brings a log to a database, and back. */
export const copyFaults: readonly Fault[] = [
  [
    "log opened that is not copied to its end",
    [fills, '    await connection.query("DELETE FROM iam.log");\n', ""],
  ],
  [
    "copy over another log",
    [fill, "(filling.id ?? id) !== id || (end.position > 0n && !isOfSource)", "false"],
  ],
  [
    "tables of another log brought up to date",
    [fills, "if (!(await pool.using(hasTables))) await migrate", "await migrate"],
  ],
  ["copy that begins anew", [fill, "source.after(end.position)", "source.after(0n)"]],
  ["last events of a copy left out", [fill, "  if (page.length > 0) yield page;\n", ""]],
  [
    "end of a copy not made",
    [fill, "if (count > 0 || filling.id === undefined)", "if (count > 0)"],
  ],
  [
    "quotas not counted in a copy",
    [
      "../postgres/recount.ts",
      "await connection.query(\n        `INSERT INTO iam.quotas",
      "if (false) await connection.query(\n        `INSERT INTO iam.quotas",
    ],
  ],
  [
    "what was erased meanwhile brought to a database",
    [fills, "      await eraseBy(connection, erasuresIn(events));\n", ""],
  ],
  [
    "what was erased meanwhile brought to a file",
    ["fill-file.ts", "      for (const by of erasuresIn(events)) erase(by);\n", ""],
  ],
  ["copy of a damaged log", ["../../operate/copy.ts", "  await assertWhole(place, heads);\n", ""]],
  [
    "cut export imported into a database",
    [
      "../../operate/import.ts",
      "for await (const { position } of source.after(0n)) end = position;",
      "",
    ],
  ],
];
