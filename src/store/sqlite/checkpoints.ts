import type Database from "better-sqlite3";
import type { FailureLog } from "../failure-log.ts";
import { checkpoint, codeOf, emptyWal, prepareWalFill, type WalFill } from "./connection.ts";
import type { SqliteLimits } from "./limits.ts";
import type { Trust } from "./outcome.ts";
import type { Reader } from "./reader.ts";

/** What makes checkpoints. */
export interface Checkpointing {
  /** Brings what the WAL holds into the file, as far as readers let it; throws as SQLite does. */
  readonly checkpoint: () => void;
  /** Does so, and empties the WAL, unless a reader is in the way: answers whether it is empty. */
  readonly empty: () => boolean;
  /** Does a checkpoint in a thread, while others write. */
  readonly checkpointAside: () => Promise<void>;
  readonly walFill: () => WalFill;
}

/** What makes checkpoints, and who hears that one fails. */
export interface CheckpointOptions extends Checkpointing {
  readonly limits: Pick<SqliteLimits, "checkpointBytes" | "checkpointBytesHere">;
  readonly failures: Pick<FailureLog, "done" | "note">;
}

/** What a connection makes checkpoints with. */
interface Connected {
  readonly trust: Pick<Trust, "assertWritable" | "judge" | "write">;
  readonly reader: Pick<Reader, "checkpoint">;
}

/** Makes what checkpoints the WAL of a connection: a sync that fails ends the trust in the disk. */
export function prepareCheckpoint(
  db: Database.Database,
  { trust, reader }: Connected,
): Checkpointing {
  // Else the append that makes the WAL longer than so many pages does it.
  db.pragma("wal_autocheckpoint = 0");
  return {
    walFill: prepareWalFill(db),
    checkpoint: () => trust.write(() => checkpoint(db)),
    empty: () => trust.write(() => emptyWal(db)),
    checkpointAside: async () => {
      trust.assertWritable();
      await reader.checkpoint().catch((error: unknown) => {
        throw trust.judge(error, false);
      });
    },
  };
}

/** Writes between two looks at how much the WAL holds. */
const looksEvery = 16;

/**
 * Checkpoints a WAL that holds much, or that nobody wrote for `upkeepMs`: a page that is written
 * again until then is brought into the file once. A long checkpoint is the work of a thread, so no
 * append waits for it. What is written meanwhile follows in a short one on this connection: the WAL
 * begins anew only where nothing is left in it.
 */
export function createCheckpoints(options: CheckpointOptions) {
  const { checkpointAside, walFill, limits, failures } = options;
  let writes = 0;
  /** Where the WAL ended at the last `tend`. */
  let restedEnd = 0;
  let isMaking = false;
  /** Whether the WAL is to be emptied, and whether it is known what for. */
  let emptying: "perhaps" | "erased" | undefined;
  let isClosed = false;
  let failing: string | undefined;

  async function look(hasRested: boolean): Promise<void> {
    if (isMaking) return;
    isMaking = true;
    try {
      const { end, pending } = walFill();
      const isLong = end >= limits.checkpointBytes;
      const isToEmpty = emptying === "erased" || (hasRested && emptying !== undefined);
      const isDue = isToEmpty || isLong || (hasRested && end === restedEnd);
      if (hasRested) restedEnd = end;
      // Another process may have made the one that failed here.
      const isDone = pending === 0 && !isToEmpty;
      if (!isDue || (isDone && failing === undefined)) return;
      if (pending > limits.checkpointBytesHere) await checkpointAside();
      if (isToEmpty) emptying = options.empty() ? undefined : emptying;
      else if (!isDone) options.checkpoint();
      failures.done("checkpoint");
      failing = undefined;
    } catch (error) {
      if (isClosed) return;
      failures.note(error, "checkpoint");
      failing = codeOf(error);
    } finally {
      isMaking = false;
    }
  }

  return {
    /** Says that this connection has written. */
    wrote() {
      writes += 1;
      if (writes % looksEvery === 0) void look(false);
    },
    /** Says that it has erased something, and begins to empty the WAL, which has it until then. */
    erased() {
      emptying = "erased";
      void look(false);
    },
    /** Has the next `tend` empty the WAL: a process that was killed may have erased something. */
    begun() {
      emptying ??= "perhaps";
    },
    /** Looks whether a checkpoint is due; called every `upkeepMs`. */
    tend: () => look(true),
    /** What an operator is told while checkpoints fail. */
    warning() {
      if (failing !== undefined) return `checkpoints fail: ${failing}`;
      return emptying === "erased"
        ? "the WAL has what was erased: a reader is in the way"
        : undefined;
    },
    close: () => {
      isClosed = true;
    },
  };
}
