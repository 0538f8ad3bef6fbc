import { closeSync, existsSync, lstatSync, openSync, realpathSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import Database from "better-sqlite3";
import { StoreUnavailable } from "../store.ts";
import type { SqliteLimits } from "./limits.ts";

/**
 * Opens the file, which is made with mode 0600 if there is none, in WAL mode with every commit
 * forced to the disk. Rejects with `StoreUnavailable` when other processes keep it busy, and with
 * an `Error` where the path is a link to a file elsewhere.
 */
export async function connect(path: string, limits: SqliteLimits): Promise<Database.Database> {
  createPrivately(path);
  assertNoLink(path);
  const db = new Database(path, { timeout: limits.busyTimeoutMs });
  try {
    choosePages(db);
    const mode = await retryWhileBusy(limits, () =>
      db.pragma("journal_mode = WAL", { simple: true }),
    );
    if (mode !== "wal")
      throw new Error(`${path} is on a file system where SQLite cannot keep a WAL file.`);
    // Each connection has its own, and better-sqlite3 is built with NORMAL as the default in WAL
    // mode, which loses acknowledged commits when the power fails.
    db.pragma("synchronous = FULL");
    overwriteDeleted(db, true);
    // This program has no foreign keys; one of a table that somebody adds would refuse its deletes.
    db.pragma("foreign_keys = OFF");
    // What a WAL has grown beyond this is given back when it begins anew.
    db.pragma(`journal_size_limit = ${limits.walBytesKept}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Bytes of a page of a file that is made, copied or vacuumed. Commits and checkpoints write whole
 * pages, most of them at random places of an index: half of SQLite's 4,096 writes a quarter less.
 */
export const pageBytes = 2_048;

/** Has a file get pages of `pageBytes` once it is made or vacuumed; until then it keeps its own. */
export function choosePages(db: Database.Database): void {
  db.pragma(`page_size = ${pageBytes}`);
}

/** Says whether what is deleted or erased from then on is overwritten where it lies in the file. */
export function overwriteDeleted(db: Database.Database, isOverwritten: boolean): void {
  db.pragma(`secure_delete = ${isOverwritten ? "ON" : "OFF"}`);
}

/**
 * Opens a file that is there to read it alone. Closing the connection leaves no file behind that
 * was not there. Throws an `Error` when there is no file or SQLite cannot read it.
 */
export function connectToRead(given: string, limits: SqliteLimits): Database.Database {
  // It says why there is none, which SQLite does not; and SQLite's other files lie beside the real
  // one.
  const path = realpathSync(given);
  // A reader cannot take away the -wal and -shm files that reading needs. Where there are none yet,
  // a connection that could write does, as it would be the last one; where there are, it might
  // bring what a crash left in them into the file.
  const readonly = existsSync(`${path}-wal`) || existsSync(`${path}-journal`);
  return new Database(path, { readonly, fileMustExist: true, timeout: limits.busyTimeoutMs });
}

/** Lets a connection that goes through the whole file keep much of it in memory. */
export function keepInMemory(db: Database.Database, { cacheBytes }: SqliteLimits): void {
  // A negative number counts KiB, a positive one pages.
  db.pragma(`cache_size = ${-Math.ceil(cacheBytes / 1024)}`);
}

/**
 * Repeats the attempt until it does not fail because of a lock, between tries giving way to
 * everything else. Past the deadline, and when the file cannot be used now for another reason,
 * it rejects with `StoreUnavailable`, otherwise with what the attempt threw.
 */
export async function retryWhileBusy<T>(limits: SqliteLimits, attempt: () => T): Promise<T> {
  const deadline = performance.now() + limits.busyDeadlineMs;
  for (let pauseMs = limits.retryMinMs; ; pauseMs = nextPauseMs(pauseMs, limits)) {
    try {
      return attempt();
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (!isBusy(error) || performance.now() >= deadline) throw unavailable(error);
    }
    await pause(pauseMs);
  }
}

/** How long to pause before the next try, after a pause of so many milliseconds. */
export function nextPauseMs(pauseMs: number, { retryMaxMs }: SqliteLimits): number {
  return Math.min(2 * pauseMs, retryMaxMs);
}

/** How much the WAL holds, in bytes. */
export interface WalFill {
  /** Where what was committed since it began anew ends. */
  readonly end: number;
  /** Bytes before that which no checkpoint has brought into the file. */
  readonly pending: number;
}

/**
 * Makes the function that says how much the WAL holds, by what all connections share in memory.
 * Outside of transactions.
 */
export function prepareWalFill(db: Database.Database): () => WalFill {
  const frameBytes = Number(db.pragma("page_size", { simple: true })) + 24;
  const fill = db.prepare<[], { log: number; checkpointed: number }>("PRAGMA wal_checkpoint(NOOP)");
  return () => {
    const { log, checkpointed } = fill.get() ?? { log: 0, checkpointed: 0 };
    // https://www.sqlite.org/fileformat2.html#the_write_ahead_log
    const end = log > 0 ? 32 + log * frameBytes : 0;
    return { end, pending: Math.max(0, log - checkpointed) * frameBytes };
  };
}

/** Brings what the WAL holds into the file, as far as readers let it, and waits for none. */
export function checkpoint(db: Database.Database): void {
  db.pragma("wal_checkpoint(PASSIVE)");
}

/**
 * The same, and empties the WAL, where no other connection reads or writes just then: answers
 * whether it is empty. It waits for nobody.
 */
export function emptyWal(db: Database.Database): boolean {
  const [timeout] = db.pragma("busy_timeout") as { timeout: number }[];
  db.pragma("busy_timeout = 0");
  try {
    const [done] = db.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
    return done?.busy === 0;
  } finally {
    db.pragma(`busy_timeout = ${timeout?.timeout ?? 0}`);
  }
}

/** Whether SQLite gave up because another connection has the lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === "SQLITE_BUSY";
}

/** Whether the error is about the file or machine as they are now, not about what was asked. */
export function isPassing(error: unknown): boolean {
  return passingCodes.has(primaryCode(error));
}

/** The error that tells a caller to try later, with what SQLite said as its cause. */
export function unavailable(cause: unknown): StoreUnavailable {
  if (cause instanceof StoreUnavailable) return cause;
  return new StoreUnavailable(`The log file cannot be used now (${codeOf(cause)}).`, { cause });
}

const passingCodes = new Set([
  "SQLITE_BUSY",
  "SQLITE_CANTOPEN",
  "SQLITE_FULL",
  "SQLITE_INTERRUPT",
  "SQLITE_IOERR",
  "SQLITE_LOCKED",
  "SQLITE_NOMEM",
  "SQLITE_PERM",
  "SQLITE_PROTOCOL",
  "SQLITE_READONLY",
]);

/** SQLITE_IOERR of SQLITE_IOERR_WRITE. */
function primaryCode(error: unknown): string {
  return codeOf(error).split("_", 2).join("_");
}

/** SQLite's name of what went wrong, like SQLITE_IOERR_WRITE; empty for other errors. */
export function codeOf(error: unknown): string {
  const named = typeof error === "object" && error !== null && "code" in error;
  return named ? String(error.code) : "";
}

/**
 * SQLite puts its other files beside the one that a link leads to, where nobody looks for them:
 * who copies the directory, or compares its files with those that are open, would miss the WAL.
 */
function assertNoLink(path: string): void {
  if (!lstatSync(path).isSymbolicLink()) return;
  throw new Error(
    `${path} is a symbolic link, so the files beside it would lie elsewhere. While nothing ` +
      "has the file open, move the file here, or link the whole directory.",
  );
}

/** SQLite gives its companions, the -wal and -shm files, the mode of the file. */
export function createPrivately(path: string): void {
  try {
    // Never for a file that exists: closing any descriptor of it would drop the locks that other
    // connections of this process hold.
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}
