import type Database from "better-sqlite3";
import { hasTable } from "../../src/store/sqlite/schema.ts";

/**
 * Shows the texts of a file to this connection as two tables that can be changed: claims, and
 * fields that lists see. A claim of a stream that has no object is one of an object that begins at
 * -1. Files of earlier programs have such tables.
 */
export function viewTexts(db: Database.Database): Database.Database {
  if (hasTable(db, "texts")) db.exec(viewsOf("main.", "instr", triggerInFile));
  return db;
}

/** The same for the session of a database that has texts, and whose path is `logPath`. */
export const viewsInDatabase = viewsOf("", "strpos", triggerInDatabase);

/** What a view does where a row of it is deleted, inserted or changed. */
interface Trigger {
  readonly view: "claims" | "fields";
  readonly what: "DELETE" | "INSERT" | "UPDATE";
  readonly steps: string;
}

function viewsOf(
  schema: "main." | "",
  find: "instr" | "strpos",
  triggerText: (trigger: Trigger) => string,
): string {
  type Row = "old" | "new";
  type List = readonly [kind: string, name: string, parent: string];
  const claimIn = (row: Row): List => {
    const dot = `${find}(${row}.kind, '.')`;
    const kind = `CASE WHEN ${dot} = 0 THEN '' ELSE substr(${row}.kind, 1, ${dot} - 1) END`;
    return [kind, `substr(${row}.kind, ${dot} + 1)`, `${row}.scope`];
  };
  const fieldIn = (row: Row): List => [`${row}.kind`, `${row}.name`, `${row}.parent`];
  const numberOf = ([kind, name, parent]: List) =>
    `(SELECT l.number FROM lists AS l
      WHERE l.kind = ${kind} AND l.name = ${name} AND l.parent = ${parent})`;
  const addList = (list: List) => `
    INSERT INTO lists (number, kind, name, parent)
      SELECT coalesce(max(l.number), 0) + 1, ${list.join()} FROM lists AS l
      HAVING ${numberOf(list)} IS NULL;`;
  const oldClaim = `list = ${numberOf(claimIn("old"))} AND text = old.value AND tie = 0`;
  const oldField = `list = ${numberOf(fieldIn("old"))} AND text = old.folded
    AND first = old.first AND listed`;
  const dropClaim = `
    UPDATE texts SET tie = first WHERE ${oldClaim} AND listed;
    DELETE FROM texts WHERE ${oldClaim};`;
  const addClaim = `
    ${addList(claimIn("new"))}
    INSERT INTO texts (list, text, tie, first, listed)
      VALUES (${numberOf(claimIn("new"))}, new.value, 0,
        coalesce((SELECT first FROM objects WHERE stream = new.stream), -1), FALSE);`;
  const dropField = `
    DELETE FROM texts WHERE ${oldField} AND tie <> 0;
    UPDATE texts SET listed = FALSE WHERE ${oldField};`;
  const addField = `
    ${addList(fieldIn("new"))}
    INSERT INTO texts (list, text, tie, first, listed)
      VALUES (${numberOf(fieldIn("new"))}, new.folded, new.first, new.first, TRUE);`;
  const triggers: readonly Trigger[] = [
    { view: "claims", what: "DELETE", steps: dropClaim },
    { view: "claims", what: "INSERT", steps: addClaim },
    { view: "claims", what: "UPDATE", steps: dropClaim + addClaim },
    { view: "fields", what: "DELETE", steps: dropField },
    { view: "fields", what: "INSERT", steps: addField },
    { view: "fields", what: "UPDATE", steps: dropField + addField },
  ];
  return `
    CREATE TEMP VIEW claims AS
      SELECT CASE WHEN l.kind = '' THEN l.name ELSE l.kind || '.' || l.name END AS kind,
        l.parent AS scope, t.text AS value, coalesce(o.stream, '') AS stream
      FROM ${schema}texts AS t JOIN ${schema}lists AS l ON l.number = t.list
      LEFT JOIN ${schema}objects AS o ON o.first = t.first WHERE t.tie = 0;
    CREATE TEMP VIEW fields AS SELECT l.kind, l.parent, l.name, t.text AS folded, t.first
      FROM ${schema}texts AS t JOIN ${schema}lists AS l ON l.number = t.list WHERE t.listed;
    ${triggers.map(triggerText).join("")}`;
}

function triggerInFile({ view, what, steps }: Trigger): string {
  return `CREATE TEMP TRIGGER ${view}_${what} INSTEAD OF ${what} ON ${view} BEGIN ${steps} END;`;
}

function triggerInDatabase({ view, what, steps }: Trigger): string {
  const row = what === "DELETE" ? "old" : "new";
  return `
    CREATE FUNCTION pg_temp.${view}_${what}() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN ${steps} RETURN ${row}; END $$;
    CREATE TRIGGER ${view}_${what} INSTEAD OF ${what} ON ${view}
      FOR EACH ROW EXECUTE FUNCTION pg_temp.${view}_${what}();`;
}
