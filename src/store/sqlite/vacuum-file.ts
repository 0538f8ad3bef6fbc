import { connect, emptyWal, retryWhileBusy } from "./connection.ts";
import { sqliteLimits } from "./limits.ts";
import { assertEventLog } from "./rebuild-file.ts";

/**
 * Writes a file anew that exists, so that nothing is in it but its rows: neither what was deleted
 * before this program overwrote that, nor what pages had before they were split. Rejects with an
 * `Error` where it is no event log, or somebody reads it meanwhile, and with `StoreUnavailable`
 * where others lock it for too long, or there is no room.
 */
export async function vacuumSqlite(path: string): Promise<void> {
  assertEventLog(path);
  const db = await connect(path, sqliteLimits);
  try {
    await retryWhileBusy(sqliteLimits, () => db.exec("VACUUM"));
    if (emptyWal(db)) return;
  } finally {
    db.close();
  }
  throw new Error("another process reads it: stop the service, and run this again.");
}
