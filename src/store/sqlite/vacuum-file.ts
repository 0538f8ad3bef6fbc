import Database from "better-sqlite3";
import { choosePages, isBusy, overwriteDeleted } from "./connection.ts";
import { assertEventLog } from "./rebuild-file.ts";

/**
 * Writes a file anew that exists, so that nothing is in it but its rows: neither what was deleted
 * before this program overwrote that, nor what pages had before they were split. Rejects with an
 * `Error` and changes nothing where it is no event log, or another process has it open: that would
 * take it for another file.
 */
export async function vacuumSqlite(path: string): Promise<void> {
  assertEventLog(path);
  const db = new Database(path, { fileMustExist: true, timeout: 0 });
  try {
    // Said before the first look: then nobody else can have the file open.
    db.pragma("locking_mode = EXCLUSIVE");
    overwriteDeleted(db, true);
    choosePages(db);
    // A file with a WAL would keep its pages. If this is cut off, the next start sets it back.
    db.pragma("journal_mode = DELETE");
    db.exec("VACUUM");
    db.pragma("journal_mode = WAL");
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new Error("another process has it open: stop the service, and run this again.", {
      cause: error,
    });
  } finally {
    db.close();
  }
}
