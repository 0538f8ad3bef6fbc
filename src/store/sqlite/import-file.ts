import type { SealedEvent } from "../chain/chain.ts";
import { firstLink } from "../chain/link.ts";
import { connect, retryWhileBusy } from "./connection.ts";
import { prepareInsert } from "./end.ts";
import { sqliteLimits } from "./limits.ts";
import { migrate } from "./schema.ts";

/** Events that are written in one transaction. */
const eventsAtOnce = 10_000;

/**
 * Writes the events of a log, in order, into a file that is there and empty, as they were sealed;
 * what follows from them is for a rebuild, which also checks them. Rejects with what the events
 * throw.
 */
export async function importSqlite(
  path: string,
  id: string,
  events: AsyncIterable<SealedEvent>,
): Promise<void> {
  const db = await connect(path, sqliteLimits);
  try {
    db.transaction(() => migrate(db)).immediate();
    db.prepare("INSERT INTO head (log, position, link) VALUES (?, 0, ?)").run(id, firstLink);
    const insert = prepareInsert(db);
    const end = db.prepare("UPDATE head SET position = ?, link = ?");
    const write = db.transaction((piece: readonly SealedEvent[]) => {
      for (const event of piece) insert(event, event);
      const last = piece.at(-1);
      if (last !== undefined) end.run(last.position, last.link);
    });
    let piece: SealedEvent[] = [];
    for await (const event of events) {
      piece.push(event);
      if (piece.length < eventsAtOnce) continue;
      await retryWhileBusy(sqliteLimits, () => write.immediate(piece));
      piece = [];
    }
    await retryWhileBusy(sqliteLimits, () => write.immediate(piece));
  } finally {
    db.close();
  }
}
