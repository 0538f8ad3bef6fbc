import type Database from "better-sqlite3";
import { hasTable } from "../../src/store/sqlite/schema.ts";

/**
 * Shows the texts of a file to this connection as two tables that can be changed: claims, and fields
 * that lists see. A claim of a stream that has no object is one of an object that begins at -1.
 * Files of earlier programs have such tables.
 */
export function viewTexts(db: Database.Database): Database.Database {
  if (!hasTable(db, "texts")) return db;
  const numberOf = (kind: string, name: string, parent: string) =>
    `(SELECT number FROM lists WHERE kind = ${kind} AND name = ${name} AND parent = ${parent})`;
  const addList = (kind: string, name: string, parent: string) =>
    `INSERT OR IGNORE INTO lists (kind, name, parent) VALUES (${kind}, ${name}, ${parent});`;
  const claimIn = (row: "old" | "new") => {
    const dot = `max(instr(${row}.kind, '.') - 1, 0)`;
    const kind = `substr(${row}.kind, 1, ${dot})`;
    return [kind, `substr(${row}.kind, ${dot} + iif(${dot} = 0, 1, 2))`, `${row}.scope`] as const;
  };
  const fieldIn = (row: "old" | "new") => [`${row}.kind`, `${row}.name`, `${row}.parent`] as const;
  const oldClaim = `list = ${numberOf(...claimIn("old"))} AND text = old.value AND tie = 0`;
  const oldField = `list = ${numberOf(...fieldIn("old"))} AND text = old.folded
    AND first = old.first AND listed`;
  const dropClaim = `
    UPDATE texts SET tie = first WHERE ${oldClaim} AND listed;
    DELETE FROM texts WHERE ${oldClaim};`;
  const addClaim = `
    ${addList(...claimIn("new"))}
    INSERT INTO texts (list, text, tie, first, listed)
      VALUES (${numberOf(...claimIn("new"))}, new.value, 0,
        coalesce((SELECT first FROM objects WHERE stream = new.stream), -1), 0);`;
  const dropField = `
    DELETE FROM texts WHERE ${oldField} AND tie <> 0;
    UPDATE texts SET listed = 0 WHERE ${oldField};`;
  const addField = `
    ${addList(...fieldIn("new"))}
    INSERT INTO texts (list, text, tie, first, listed)
      VALUES (${numberOf(...fieldIn("new"))}, new.folded, new.first, new.first, 1);`;
  db.exec(`
    CREATE TEMP VIEW claims AS SELECT iif(l.kind = '', l.name, l.kind || '.' || l.name) AS kind,
        l.parent AS scope, t.text AS value, coalesce(o.stream, '') AS stream
      FROM main.texts AS t JOIN main.lists AS l ON l.number = t.list
      LEFT JOIN main.objects AS o ON o.first = t.first WHERE t.tie = 0;
    CREATE TEMP VIEW fields AS SELECT l.kind, l.parent, l.name, t.text AS folded, t.first
      FROM main.texts AS t JOIN main.lists AS l ON l.number = t.list WHERE t.listed;
    CREATE TEMP TRIGGER claims_go INSTEAD OF DELETE ON claims BEGIN ${dropClaim} END;
    CREATE TEMP TRIGGER claims_come INSTEAD OF INSERT ON claims BEGIN ${addClaim} END;
    CREATE TEMP TRIGGER claims_change INSTEAD OF UPDATE ON claims
      BEGIN ${dropClaim} ${addClaim} END;
    CREATE TEMP TRIGGER fields_go INSTEAD OF DELETE ON fields BEGIN ${dropField} END;
    CREATE TEMP TRIGGER fields_come INSTEAD OF INSERT ON fields BEGIN ${addField} END;
    CREATE TEMP TRIGGER fields_change INSTEAD OF UPDATE ON fields
      BEGIN ${dropField} ${addField} END;
  `);
  return db;
}
