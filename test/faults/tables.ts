import type { Fault } from "./fault.ts";

/** Mistakes in what is looked for beside the tables of a file. */
export const tableFaults: readonly Fault[] = [
  [
    "file with triggers of others taken",
    ["identity.ts", "strangers.map((", "strangers.slice(1).map(("],
  ],
  ["indexes of others taken", ["tables.ts", "(name) => !indexes.has(name)", "() => false"]],
  ["triggers of others taken for tables", ["tables.ts", "^CREATE (?:", "^CREATE (?:TRIGGER|"]],
  [
    "pages of an index exchanged by a row of another name",
    ["tables.ts", ": !names.has(name)", ": false"],
  ],
  [
    "pages of an index exchanged by a row of the same name",
    ["tables.ts", " || found.get(keyOf(row)) !== row", ""],
  ],
  [
    "tables of their own known by name alone",
    ["tables.ts", "return JSON.stringify(thing)", "return thing.name"],
  ],
  [
    "comments left out within quotes",
    ["tables.ts", "/'[^']*'|", "/"],
    ["tables.ts", '? " " : found', '? "" : found'],
  ],
  ["tables that are not there not missed", ["tables.ts", "...missing, ", ""]],
  ["tables of operators refused", ["tables.ts", ": !names.has(name)", ": true"]],
  [
    "list of tables read where somebody else keeps it",
    [
      "tables.ts",
      'db.pragma("main.table_list") as',
      `db.prepare("SELECT name, type FROM pragma_table_list WHERE schema = 'main'").all() as`,
    ],
  ],
  [
    "tables that stand in for functions taken",
    ["tables.ts", "isTable && readFrom.test(name)", "false"],
  ],
  ["tables of a name that is no text taken", ["tables.ts", "table.includes(noText) || ", ""]],
  [
    "foreign keys of others kept",
    ["connection.ts", 'db.pragma("foreign_keys = OFF");', 'db.pragma("foreign_keys = ON");'],
  ],
  ["tables that keep rows taken", ["tables.ts", "|| refers(db, table);", ";"]],
  [
    "tables written that a newer program has changed",
    ["rebuild.ts", " && storedSchema.get() === schema", ""],
  ],
];
