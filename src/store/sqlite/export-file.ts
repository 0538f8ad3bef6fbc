import type { SealedEvent } from "../chain/chain.ts";
import { connectToRead, retryWhileBusy } from "./connection.ts";
import { idIn } from "./id.ts";
import { sqliteLimits } from "./limits.ts";
import { prepareRows, type SealedColumns, sealedColumns, toSealed } from "./row.ts";

/** Events that are read at once: between two reads others may bring the WAL into the file. */
const eventsAtOnce = 1_000;

/** A log that is read from its file, and not changed. */
export interface ReadLog {
  readonly id: string;
  /** The event at a position, sealed; undefined where there is none. */
  at(position: bigint): Promise<SealedEvent | undefined>;
  /** The events behind a position, in order, to the end that the log has when it comes there. */
  after(position: bigint): AsyncGenerator<SealedEvent>;
  close(): void;
}

/**
 * Opens the log in a file to read its events. Rejects with an `Error` where there is no file,
 * SQLite cannot read it, or its events are not chained.
 */
export async function readLog(path: string): Promise<ReadLog> {
  const db = connectToRead(path, sqliteLimits);
  try {
    const id = await retryWhileBusy(sqliteLimits, () => idIn(db));
    if (id === undefined) throw new Error("its events are not chained: start the service on it");
    const page = prepareRows<[bigint, number], SealedColumns>(
      db,
      `SELECT ${sealedColumns} FROM events WHERE position > ? ORDER BY position LIMIT ?`,
    );
    const read = (position: bigint, limit: number) =>
      retryWhileBusy(sqliteLimits, () => page.all(position, limit).map(toSealed));
    return {
      id,
      at: async (position) => {
        const [event] = await read(position - 1n, 1);
        return event?.position === position ? event : undefined;
      },
      async *after(position) {
        for (let last = position; ; ) {
          const events = await read(last, eventsAtOnce);
          yield* events;
          if (events.length < eventsAtOnce) return;
          last = events.at(-1)?.position ?? last;
        }
      },
      close: () => void db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}
