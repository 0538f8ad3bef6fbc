import type Database from "better-sqlite3";
import { connectToRead, retryWhileBusy } from "../connection.ts";
import type { SqliteLimits } from "../limits.ts";

/** Opens the file for reading alone: nothing is created or changed. Throws as `connectToRead`. */
export function openUnchanged(given: string, limits: SqliteLimits): Database.Database {
  const db = connectToRead(given, limits);
  try {
    db.pragma("query_only = ON");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Opens it so at one moment of it: what others commit from then on is not seen. Rejects as
 * `connectToRead` throws.
 */
export async function openSnapshot(
  given: string,
  limits: SqliteLimits,
): Promise<Database.Database> {
  const db = openUnchanged(given, limits);
  try {
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
