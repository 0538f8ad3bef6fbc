import { createHmac, randomBytes } from "node:crypto";
import Database from "better-sqlite3";
import type { RecordedEvent } from "../../src/event.ts";
import { createCheck, createSeal } from "../../src/store/chain/chain.ts";
import { digestOf, firstLink, linkOf } from "../../src/store/chain/link.ts";
import { prepareEnd } from "../../src/store/sqlite/end.ts";
import { prepareRows, type SealedColumns, toSealed } from "../../src/store/sqlite/row.ts";
import { floor, migrate } from "../../src/store/sqlite/schema.ts";
import { identity } from "./keys.ts";

/** What somebody can do to a file who knows how it is made. */

/** Adds an event as another process would that has the key. */
export function recordPast(db: Database.Database, event: Omit<RecordedEvent, "position">): void {
  const end = prepareEnd(db, {
    seal: createSeal(identity, randomBytes),
    check: createCheck(identity),
  });
  end.record([event]);
  end.save();
}

/**
 * Makes every link anew, and the head, so that they fit what the events are now. Who has the key
 * makes the MACs anew, too.
 */
export function relink(db: Database.Database, { withKey = false } = {}): void {
  const rows = prepareRows<[], SealedColumns>(db, "SELECT * FROM events ORDER BY position").all();
  const update = db.prepare("UPDATE events SET mac = ?, link = ? WHERE position = ?");
  let end = { position: 0n, link: firstLink };
  for (const event of rows.map(toSealed)) {
    const digest = digestOf(identity.id, event, event.salt);
    const mac = withKey ? createHmac("sha256", identity.key).update(digest).digest() : event.mac;
    end = {
      position: event.position,
      link: linkOf(end.link, BigInt.asUintN(64, event.position), digest, mac),
    };
    update.run(mac, end.link, event.position);
  }
  db.prepare("UPDATE head SET position = ?, link = ?").run(end.position, end.link);
}

/**
 * Makes the file what 226d0ee has left, the floor of upgrades: no artifact has a MAC, and what
 * follows from the log lies in other tables, which are left empty here.
 */
export function takeBack(db: Database.Database): void {
  db.exec("DROP TABLE artifacts; DROP TABLE lists; DROP TABLE texts; DROP TABLE attachments");
  makeAsAt(db, floor, ["artifacts", "claims", "fields"]);
}

/** Puts the artifacts of a file back into the tree of their keys that schema 14 had. */
export function takeArtifactsBack(db: Database.Database): void {
  db.exec("CREATE TEMP TABLE kept AS SELECT * FROM artifacts; DROP TABLE artifacts");
  makeAsAt(db, 14, ["artifacts"]);
  db.exec("INSERT INTO artifacts SELECT * FROM kept");
}

/** Makes tables as a schema has them, and says that the file has that schema. */
function makeAsAt(db: Database.Database, schema: number, tables: readonly string[]): void {
  const before = new Database(":memory:");
  migrate(before, schema);
  const made = before.prepare<[string], string>(
    "SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY rowid",
  );
  for (const table of tables) db.exec(made.pluck().all(table).join("; "));
  db.pragma(`user_version = ${schema}`);
  before.close();
}

/**
 * Has an index lead to another stream for events of one, as who may write the file can: one who
 * asks by stream and version does not find them any more.
 */
export function takeOutOfIndex(path: string, stream: string, where: string): void {
  const index = "name = 'sqlite_autoindex_events_1'";
  const table = "name = 'events' AND type = 'table'";
  const rename = (from: string, to: string) =>
    `UPDATE events SET stream = '${to}' WHERE stream = '${from}' AND ${where}`;
  /** Each time anew: SQLite reads the schema as a connection is opened. */
  const inFile = <Result>(work: (db: Database.Database) => Result): Result => {
    const db = new Database(path, { timeout: 5_000 });
    db.unsafeMode(true);
    db.pragma("writable_schema = ON");
    const result = work(db);
    db.close();
    return result;
  };
  const kept = inFile((db) => {
    db.exec(rename(stream, "nobody"));
    const rows = `SELECT * FROM sqlite_schema WHERE ${index} OR (${table})`;
    const found = db.prepare<[], SchemaColumns>(rows).all();
    db.exec(`DELETE FROM sqlite_schema WHERE ${index};
      UPDATE sqlite_schema SET sql = replace(sql, 'UNIQUE (stream, version)', 'CHECK (1)')
        WHERE ${table}`);
    return found;
  });
  inFile((db) => db.exec(rename("nobody", stream)));
  inFile((db) => {
    const put = db.prepare("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)");
    for (const { type, name, tbl_name, rootpage, sql } of kept) {
      db.prepare("DELETE FROM sqlite_schema WHERE type = ? AND name = ?").run(type, name);
      put.run(type, name, tbl_name, rootpage, sql);
    }
  });
}

/** A row of a schema as SQLite keeps it. */
interface SchemaColumns {
  readonly type: string;
  readonly name: string;
  readonly tbl_name: string;
  readonly rootpage: number;
  readonly sql: string | null;
}
