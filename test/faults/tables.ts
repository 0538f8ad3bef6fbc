import type { Fault } from "./fault.ts";

/** Mistakes in what is looked for beside the tables of a file. */
export const tableFaults: readonly Fault[] = [
  [
    "file with triggers of others taken",
    ["identity.ts", "strangers.map((", "strangers.slice(1).map(("],
  ],
  ["unique indexes of others taken", ["tables.ts", "|INDEX $", "|(?:UNIQUE )?INDEX $"]],
  [
    "indexes of expressions taken for plain ones",
    ["tables.ts", "columns}$)`", "columns}$|INDEX)`"],
  ],
  [
    "tables of their own known by name alone",
    ["tables.ts", "JSON.stringify(row), row]", "row.name, row]"],
  ],
  ["comments left out within quotes", ["tables.ts", '\\r])+/g, " "', '\\r])+/g, ""']],
  ["tables that are not there not missed", ["tables.ts", "...missing, ", ""]],
  ["indexes of operators refused", ["tables.ts", " || harmless.test(sql)", ""]],
  ["tables that keep rows taken", ["tables.ts", "(?!.*\\\\bREFERENCES\\\\b)", ""]],
];
