import type { StoreUnavailable } from "../store.ts";
import { raised, refused, unavailable, unsound } from "./errors.ts";
import type { PostgresLimits } from "./limits.ts";
import type { Pool } from "./pool.ts";
import { lookingBack, type Seen } from "./seen.ts";
import { fromStored } from "./text.ts";

/** What is looked at, and what has to be there. */
export interface LooksOptions {
  readonly log: string;
  /** Of the projection by which it is served. */
  readonly revision: number;
  readonly seen: Seen;
  readonly limits: Pick<PostgresLimits, "readyMs" | "roomMs" | "roomBytes">;
  readonly random: (size: number) => Uint8Array;
  /** Says what is known to be wrong with the log: from then on nothing is written. */
  readonly fault: () => string | undefined;
  /** Checks what others have appended up to a position, so that no write has to wait for that. */
  readonly follow: (through: bigint) => Promise<void>;
  /** Is told of what that finds, since nobody waits for it. */
  readonly note: (error: unknown) => void;
  /** Milliseconds on a clock that goes on evenly. */
  readonly nowMs?: () => number;
}

interface Found {
  readonly readonly: boolean;
  readonly ids: readonly string[];
  readonly revisions: readonly bigint[];
  readonly end: bigint;
}

/**
 * Makes the looks of a process at whether the database can be written, and the log in it goes on
 * from what was seen of it: one that found nothing wrong serves all for `readyMs`. Where something
 * had no room, the looks try themselves whether there is some, every `roomMs`.
 */
export function createLooks(
  pool: Pool,
  { log, revision, seen, limits, fault, follow, note, random, ...options }: LooksOptions,
) {
  const { nowMs = () => performance.now() } = options;
  const back = lookingBack(pool, seen);
  /** Whether there was room for what was written last. */
  let writes = true;
  let failed: { readonly error: StoreUnavailable; readonly sinceMs: number } | undefined;
  let looking: Promise<void> | undefined;
  /** The end that was seen by the look before: where it is the same, nothing was appended here. */
  let idleAt: bigint | undefined = seen.end().position;
  let following: Promise<void> | undefined;
  /** What is wrong there is known by `fault`, or found by the next look. */
  const followTo = (end: bigint) =>
    follow(end)
      .catch(note)
      .finally(() => {
        following = undefined;
      });
  /** Says that something has failed, so that the next one looks anew. */
  const doubt = () => {
    looking = undefined;
  };

  /** Throws `StoreUnavailable` where the log is known not to be what was written. */
  function assertSound(): void {
    const found = fault();
    if (found === undefined) return;
    throw unsound(found);
  }

  async function probe(): Promise<void> {
    const { position } = seen.end();
    const [found] = await back.query<Found>(
      `SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS readonly,
         ARRAY(SELECT id FROM iam.log) AS ids,
         ARRAY(SELECT revision FROM iam.projection) AS revisions,
         (SELECT coalesce(max(position), 0) FROM iam.events) AS end`,
    );
    if (!seen.isKept() || found?.ids.map(fromStored).join() !== log) throw refused(raised.history);
    if (found.revisions.join() !== String(revision)) throw refused(raised.revision);
    if (found.readonly) throw refused("25006");
    // A process that appends has checked what others did. Nobody waits for this one.
    const isIdle = position === idleAt;
    if (isIdle) following ??= followTo(found.end);
    idleAt = position;
    if (!writes) await tryRoom();
  }

  async function tryRoom(): Promise<void> {
    if (failed !== undefined && nowMs() - failed.sinceMs < limits.roomMs) throw failed.error;
    try {
      await takeRoom(pool, random(limits.roomBytes));
      wrote(true);
    } catch (cause) {
      const error = unavailable(cause);
      failed = { error, sinceMs: nowMs() };
      throw error;
    }
  }

  /** Says whether the database had room for what was written. */
  function wrote(couldWrite: boolean): void {
    writes = couldWrite;
    if (couldWrite) failed = undefined;
  }

  function keep(): void {
    setTimeout(doubt, limits.readyMs).unref();
  }

  return {
    ...{ assertSound, doubt, wrote },
    /** Rejects with `StoreUnavailable` where the database takes no writes, or has another log. */
    look: async () => {
      assertSound();
      looking ??= probe().then(keep, (error) => {
        doubt();
        throw error;
      });
      await looking;
    },
  };
}

/** Takes the room of appends and gives it back: bytes that nothing makes shorter. */
async function takeRoom(pool: Pool, bytes: Uint8Array): Promise<void> {
  await pool.transaction("BEGIN", async (connection) => {
    await connection.query(
      `INSERT INTO iam.batches (id, at, verdicts, whiches, firsts, head, link)
         VALUES (gen_random_uuid(), now(), '{}', '{}', '{}', 0, $1)`,
      [bytes],
    );
    await connection.query("ROLLBACK AND CHAIN");
  });
}
