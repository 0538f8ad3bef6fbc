import type Database from "better-sqlite3";
import { unavailable } from "./connection.ts";
import type { LogEnd } from "./end.ts";
import type { SqliteLimits } from "./limits.ts";
import type { Trust } from "./outcome.ts";
import { prepareSameWrite } from "./schema.ts";

/** Whether a file can be written, for those who ask. */
export interface Looks {
  /** Says whether an append could write. */
  wrote(couldWrite: boolean): void;
  /** Rejects with `StoreUnavailable` where the file cannot be written now. */
  look(): Promise<void>;
}

interface LooksOptions {
  readonly limits: SqliteLimits;
  readonly trust: Trust;
  readonly end: Pick<LogEnd, "take">;
}

/** Prepares the looks of a connection at its file, of which none has been written to yet. */
export function prepareLooks(db: Database.Database, { limits, trust, end }: LooksOptions): Looks {
  const lock = db.transaction(() => end.take());
  const write = prepareSameWrite(db);
  // Whether the last append that wrote anything could: a full disk shows in nothing else.
  let writes = true;
  // Everybody who asks at the same time gets one answer: each look may block for the busy timeout.
  let probing: Promise<void> | undefined;
  const probe = async () => {
    setTimeout(() => {
      probing = undefined;
    }, limits.readyMs).unref();
    try {
      trust.write(() => {
        lock.immediate();
        if (!writes) write.immediate();
      });
      writes = true;
    } catch (error) {
      throw unavailable(error);
    }
  };
  return {
    wrote: (couldWrite) => {
      writes = couldWrite;
    },
    look: () => {
      probing ??= probe();
      return probing;
    },
  };
}
