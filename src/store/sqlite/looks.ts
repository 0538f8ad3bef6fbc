import { setImmediate as turn } from "node:timers/promises";
import type Database from "better-sqlite3";
import type { StoreUnavailable } from "../store.ts";
import { isBusy, overwriteDeleted, unavailable } from "./connection.ts";
import type { LogEnd } from "./end.ts";
import type { SqliteLimits } from "./limits.ts";
import type { Trust } from "./outcome.ts";
import { prepareTakeover } from "./rebuild.ts";

interface LooksOptions {
  /** Of the projection by which the connection writes. */
  readonly revision: number;
  readonly limits: SqliteLimits;
  readonly trust: Trust;
  readonly end: Pick<LogEnd, "follow" | "take">;
  /** Milliseconds on a clock that goes on evenly. */
  readonly nowMs?: () => number;
}

/**
 * Prepares the looks of a connection at whether its file can be written, for those who ask; it has
 * not been written to yet. Where an append could not write, the looks try it themselves, every
 * `roomMs`: nobody else may.
 */
export function prepareLooks(
  db: Database.Database,
  { revision, limits, trust, end, nowMs = () => performance.now() }: LooksOptions,
) {
  const room = prepareRoom(db, limits.roomBytes);
  const assertNotTaken = prepareTakeover(db, revision);
  const lock = db.transaction(() => {
    assertNotTaken();
    end.take();
    if (!writes) room.take();
  });
  // Whether the last append that wrote anything could: a full disk shows in nothing else.
  let writes = true;
  let failed: { readonly error: StoreUnavailable; readonly sinceMs: number } | undefined;
  // Everybody who asks at the same time gets one answer: each look may block for the busy timeout.
  let probing: Promise<void> | undefined;
  const probe = async () => {
    setTimeout(() => {
      probing = undefined;
    }, limits.readyMs).unref();
    if (failed !== undefined && nowMs() - failed.sinceMs < limits.roomMs) throw failed.error;
    try {
      while (!end.follow()) await turn();
      trust.write(() => {
        lock.immediate();
        if (!writes) room.giveBack();
      });
      writes = true;
      failed = undefined;
    } catch (cause) {
      const error = unavailable(cause);
      if (!writes && !isBusy(cause)) failed = { error, sinceMs: nowMs() };
      throw error;
    }
  };
  return {
    /** Says whether an append could write. */
    wrote: (couldWrite: boolean) => {
      writes = couldWrite;
      if (couldWrite) failed = undefined;
    },
    /** Rejects with `StoreUnavailable` where the file cannot be written now. */
    look: () => {
      probing ??= probe();
      return probing;
    },
  };
}

/**
 * Prepares what takes the room of appends, in one commit, and what gives it back, in another. Less
 * proves nothing: a commit that failed leaves room in the WAL for a page or two.
 */
function prepareRoom(db: Database.Database, bytes: number) {
  // An answer that has expired counts as missing, should the process end in between.
  const take = db.prepare(
    `INSERT OR REPLACE INTO answers (key, caller, number, time, request, answer)
     VALUES ('room', 'room', 0, 0, zeroblob(?), x'')`,
  );
  const giveBack = db.prepare("DELETE FROM answers WHERE key = 'room'");
  return {
    take: () => void take.run(bytes),
    giveBack: () => {
      // Zeros need not be overwritten, which would take the same room once more.
      overwriteDeleted(db, false);
      try {
        giveBack.run();
      } finally {
        overwriteDeleted(db, true);
      }
    },
  };
}
