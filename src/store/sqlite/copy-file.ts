import Database from "better-sqlite3";
import { choosePages, connectToRead, overwriteDeleted, retryWhileBusy } from "./connection.ts";
import { type SqliteLimits, sqliteLimits } from "./limits.ts";
import { hasTable } from "./schema.ts";

/**
 * Writes all that a file holds at one moment into another that is there and empty, whatever is
 * committed meanwhile, besides remembered answers and artifacts; what others commit neither waits
 * for it nor disturbs it. What it wrote may not have reached the disk when it resolves. Rejects
 * with an `Error` when there is no file or SQLite cannot read it, and with `StoreUnavailable` when
 * it cannot be read now, or there is no room for the copy.
 */
export async function copySqlite(
  path: string,
  target: string,
  replaced: Partial<SqliteLimits> = {},
): Promise<void> {
  const limits = { ...sqliteLimits, ...replaced };
  const db = connectToRead(path, limits);
  try {
    // A page that is filled and split would keep what it had, and an erasure would not find it.
    overwriteDeleted(db, true);
    choosePages(db);
    // One statement sees one moment.
    await retryWhileBusy(limits, () => db.prepare("VACUUM INTO ?").run(target));
  } finally {
    db.close();
  }
  // They are for callers of the service as it is, and for those who are logged in there.
  const copy = new Database(target);
  try {
    overwriteDeleted(copy, true);
    const passing = ["answers", "artifacts"].filter((name) => hasTable(copy, name));
    for (const name of passing) copy.exec(`DELETE FROM ${name}`);
    if (passing.length > 0) copy.exec("VACUUM");
  } finally {
    copy.close();
  }
}
