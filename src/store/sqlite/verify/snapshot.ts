import { existsSync, realpathSync } from "node:fs";
import Database from "better-sqlite3";
import { retryWhileBusy } from "../connection.ts";
import type { SqliteLimits } from "../limits.ts";

/**
 * Opens the file at one moment of it, for reading alone: what others commit from then on is not
 * seen, and nothing is created or changed. Whoever closes the connection leaves no file behind that
 * was not there. Rejects with an `Error` when there is no file or SQLite cannot read it.
 */
export async function openSnapshot(
  given: string,
  limits: SqliteLimits,
): Promise<Database.Database> {
  // It says why there is none, which SQLite does not; and SQLite's other files lie beside the real
  // one.
  const path = realpathSync(given);
  // A reader cannot take away the -wal and -shm files that reading needs. Where there are none yet,
  // a connection that could write does, as it would be the last one; where there are, it might
  // bring what a crash left in them into the file.
  const readonly = existsSync(`${path}-wal`) || existsSync(`${path}-journal`);
  const db = new Database(path, { readonly, fileMustExist: true, timeout: limits.busyTimeoutMs });
  try {
    db.pragma("query_only = ON");
    await retryWhileBusy(limits, () => {
      if (!db.inTransaction) db.exec("BEGIN");
      // The moment is that of the first read.
      db.prepare("SELECT count(*) FROM sqlite_schema").get();
    });
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
