import Database from "better-sqlite3";
import { createPrivately, retryWhileBusy } from "./connection.ts";
import { sqliteLimits } from "./limits.ts";

/** A lock that one of all who ask, in all processes of a machine, has at a time. */
export interface FileLock {
  /**
   * Does the work while nobody else does any. Rejects as the work does, and with StoreUnavailable
   * where others do not end theirs within `busyDeadlineMs`.
   */
  alone<T>(work: () => Promise<T>): Promise<T>;
  close(): void;
}

/**
 * Makes a lock of a file, which is made empty where there is none and stays so. The system takes
 * it from a process that dies.
 */
export function openFileLock(path: string): FileLock {
  createPrivately(path);
  const db = new Database(path, { timeout: 0 });
  /** Those of this process take turns by themselves: one connection holds no lock twice. */
  let last: Promise<unknown> = Promise.resolve();

  function begin(): void {
    // Nothing is written. With a journal on the disk, SQLite would make and remove it each time.
    // The holder of the lock keeps others from saying even this.
    db.pragma("journal_mode = MEMORY");
    db.pragma("synchronous = OFF");
    db.exec("BEGIN EXCLUSIVE");
  }

  async function locked<T>(work: () => Promise<T>): Promise<T> {
    await retryWhileBusy(sqliteLimits, begin);
    try {
      return await work();
    } finally {
      db.exec("ROLLBACK");
    }
  }

  return {
    alone(work) {
      const result = last.then(() => locked(work));
      last = result.catch(() => {});
      return result;
    },
    close: () => void db.close(),
  };
}
