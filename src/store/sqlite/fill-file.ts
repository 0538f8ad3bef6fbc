import { type BroughtEvent, type End, isSame } from "../chain/chain.ts";
import { firstLink } from "../chain/link.ts";
import { erasuresIn } from "../erasure.ts";
import type { Filling } from "../filling.ts";
import { prepareAttachments } from "./attachments.ts";
import { connect, retryWhileBusy } from "./connection.ts";
import { prepareInsert } from "./end.ts";
import { prepareErase } from "./erase.ts";
import { idIn } from "./id.ts";
import { sqliteLimits } from "./limits.ts";
import { rebuildSqlite } from "./rebuild-file.ts";
import { prepareRows } from "./row.ts";
import { migrate } from "./schema.ts";

/**
 * Begins to fill a file with the events of the log with this id, or goes on with that: a file of
 * another name than those that are opened. Rejects with an `Error` where another log is in it.
 */
export async function fillSqlite(path: string, id: string): Promise<Filling> {
  const db = await connect(path, sqliteLimits);
  try {
    db.transaction(() => migrate(db)).immediate();
    const heads = prepareRows<[], End>(db, "SELECT position, link FROM head");
    if (heads.get() === undefined)
      db.prepare("INSERT INTO head VALUES (?, 0, ?)").run(id, firstLink);
    if (idIn(db) !== id) throw new Error("another log is in it");
    const insert = prepareInsert(db);
    const attachments = prepareAttachments(db);
    const erase = prepareErase(db);
    const update = db.prepare("UPDATE head SET position = ?, link = ?");
    let end = heads.get() ?? { position: 0n, link: firstLink };
    const write = db.transaction((events: readonly BroughtEvent[]) => {
      const now = heads.get();
      if (now?.position !== end.position || !isSame(now.link, end.link)) {
        throw new Error("another process has written there meanwhile");
      }
      insert(events);
      for (const by of erasuresIn(events)) erase(by);
      attachments.add(events.flatMap(({ attached }) => attached ?? []));
      const last = events.at(-1);
      if (last !== undefined) update.run(last.position, last.link);
    });
    return {
      id: undefined,
      end,
      add: async (events) => {
        await retryWhileBusy(sqliteLimits, () => write.immediate(events));
        end = events.at(-1) ?? end;
      },
      finish: ({ id: _, progress = () => {}, ...finishing }) =>
        rebuildSqlite({ path, progress, ...finishing }),
      close: async () => void db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}
