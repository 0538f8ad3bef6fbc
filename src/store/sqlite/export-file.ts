import { type ReadLog, readLogBy } from "../read-log.ts";
import { type FileAttachments, prepareAttachments } from "./attachments.ts";
import { connectToRead, retryWhileBusy } from "./connection.ts";
import { idIn } from "./id.ts";
import { sqliteLimits } from "./limits.ts";
import { prepareRows, type SealedColumns, sealedColumns, toSealed } from "./row.ts";

/** Events that are read at once: between two reads others may bring the WAL into the file. */
const eventsAtOnce = 1_000;

/**
 * Opens the log in a file to read its events. Rejects with an `Error` where there is no file,
 * SQLite cannot read it, or its events are not chained.
 */
export async function readLog(path: string): Promise<ReadLog> {
  const db = connectToRead(path, sqliteLimits);
  try {
    const id = await retryWhileBusy(sqliteLimits, () => idIn(db));
    if (id === undefined)
      throw new Error("its events are not chained: start the service on it first");
    const page = prepareRows<[bigint, number], SealedColumns>(
      db,
      `SELECT ${sealedColumns} FROM events WHERE position > ? ORDER BY position LIMIT ?`,
    );
    const read = (after: bigint) =>
      retryWhileBusy(sqliteLimits, () => page.all(after, eventsAtOnce).map(toSealed));
    let attachments: FileAttachments | undefined;
    const attachment = (digest: string) =>
      retryWhileBusy(sqliteLimits, () => {
        attachments ??= prepareAttachments(db);
        return attachments.find(digest);
      });
    return readLogBy(id, { read, attachment, close: async () => void db.close() });
  } catch (error) {
    db.close();
    throw error;
  }
}
