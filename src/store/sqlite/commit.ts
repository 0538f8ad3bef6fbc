import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import type Database from "better-sqlite3";
import { OutcomeUnknown, StoreUnavailable } from "../store.ts";
import { codeOf, isBusy, isPassing, nextPauseMs, unavailable } from "./connection.ts";
import type { LogEnd } from "./end.ts";
import type { SqliteLimits } from "./limits.ts";
import type { Trust } from "./outcome.ts";
import { prepareTakeover } from "./rebuild.ts";

/** What is written in a few turns of the event loop shares one transaction and one flush. */
export interface GroupCommit {
  /**
   * Puts work in the queue that writes, like an append: it is done inside a transaction, perhaps
   * more than once. Resolves to what it answers, and rejects, as `Store.append` says.
   */
  submit<T>(work: () => T): Promise<T>;
  /** How much waits. */
  waiting(): number;
  /** Resolves when the queue is empty. */
  drain(): Promise<void>;
}

/** What a connection needs to write. */
export interface Written {
  /** Of the projection that its rows are made by. */
  readonly revision: number;
  readonly end: LogEnd;
  /** Whether the file may be written still. */
  readonly trust: Trust;
}

/**
 * Makes the queue of a connection whose objects and claims are made with the projection revision.
 *
 * Between BEGIN and COMMIT nothing is awaited, so no read ever sees an open transaction. Answers,
 * refusals included, are given after COMMIT. When the file or the machine fails, so does the whole
 * batch: as unavailable where none of it happened, as unknown where it may still appear, and then
 * there is no other batch. When one work throws by itself, it alone is rejected; the batch is
 * rolled back and the others, none of which was answered, are tried again without it. A
 * rollback that fails ends the process: nothing was answered and SQLite recovers the file when it
 * is opened again.
 */
export function groupCommit(
  db: Database.Database,
  written: Written,
  limits: SqliteLimits,
  committed: (writes: number) => void = () => {},
): GroupCommit {
  const waiting: Waiting[] = [];
  const commitBatch = prepareBatch(db, { ...written, waiting, committed, ...limits });
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      await gather();
      let pauseMs = limits.retryMinMs;
      for (;;) {
        const done = commitBatch();
        if (done === "settled") break;
        rejectOverdue();
        if (waiting.length === 0) break;
        if (done === "behind") {
          await turn();
          continue;
        }
        await pause(pauseMs);
        pauseMs = nextPauseMs(pauseMs, limits);
      }
    }
    running = undefined;
  }

  /** Waits for a turn of the event loop, and for more as long as each brings something. */
  async function gather(): Promise<void> {
    const { gatherTurns, batchAppends } = limits;
    let before = 0;
    for (let turns = 0; turns < gatherTurns && before < batchAppends; turns += 1) {
      if (waiting.length === before) return;
      before = waiting.length;
      await turn();
    }
  }

  function rejectOverdue(): void {
    const oldestMs = performance.now() - limits.busyDeadlineMs;
    const first = waiting.findIndex(({ sinceMs }) => sinceMs > oldestMs);
    const overdue = waiting.splice(0, first < 0 ? waiting.length : first);
    rejectAll(overdue, new StoreUnavailable("Other processes locked the database for too long."));
  }

  return {
    submit: (work) =>
      new Promise((resolve, reject) => {
        if (waiting.length >= limits.waitingAppends) {
          throw new StoreUnavailable(`${waiting.length} appends are waiting already.`);
        }
        const write = () => {
          const result = work();
          return () => resolve(result);
        };
        waiting.push({ write, reject, sinceMs: performance.now() });
        running ??= run();
      }),
    waiting: () => waiting.length,
    drain: async () => running,
  };
}

interface Waiting {
  /** Does the work; its answer settles the promise of the caller. */
  readonly write: () => () => void;
  readonly reject: (error: unknown) => void;
  readonly sinceMs: number;
}

interface Batching extends Written, SqliteLimits {
  readonly committed: (writes: number) => void;
  readonly waiting: Waiting[];
}

/**
 * Makes the function that commits the first who wait, or leaves them: for a lock, or because others
 * have appended more than is checked at once.
 */
function prepareBatch(
  db: Database.Database,
  { revision, end, trust, waiting, batchAppends, committed }: Batching,
): () => "settled" | "busy" | "behind" {
  // IMMEDIATE takes the only write lock first: what the checks read stays true until COMMIT.
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  const rollback = db.prepare("ROLLBACK");
  const assertNotTaken = prepareTakeover(db, revision);

  const { transactions } = end;

  function undo(): void {
    if (db.inTransaction) rollback.run();
    transactions.end(false);
  }

  function start(): "started" | ReturnType<ReturnType<typeof prepareBatch>> {
    try {
      trust.assertWritable();
      // Most of it while others may write.
      if (!end.follow()) return "behind";
      begin.run();
      transactions.begin();
      assertNotTaken();
      if (end.take()) return "started";
      undo();
      return "behind";
    } catch (error) {
      undo();
      if (isBusy(error)) return "busy";
      rejectAll(waiting.splice(0, batchAppends), error);
      return "settled";
    }
  }

  return () => {
    const started = start();
    if (started !== "started") return started;
    const batch = waiting.splice(0, batchAppends);
    const answers: (() => void)[] = [];
    let isOfCommit = false;
    try {
      for (const { write } of batch) answers.push(write());
      end.save();
      // While it was worked, somebody may have cut the WAL that is now written behind.
      trust.assertWritable();
      isOfCommit = true;
      commit.run();
      end.keep();
      transactions.end(true);
      // What was written meanwhile to a file that is not there any more is not acknowledged.
      trust.assertWritable();
      for (const answer of answers) answer();
      committed(batch.length);
    } catch (error) {
      undo();
      if (!isOfCommit && codeOf(error) === "SQLITE_LOCKED") {
        // The WAL is shorter than it was: what it holds can be read outside of transactions alone.
        waiting.unshift(...batch);
        return "behind";
      }
      // When all are written it was COMMIT that failed, or the file, and nobody is to blame.
      const told = trust.judge(error, isOfCommit);
      const culprit = isPassing(error) ? undefined : batch[answers.length];
      if (culprit === undefined) {
        rejectAll(batch, told);
      } else {
        culprit.reject(error);
        waiting.unshift(...batch.filter((other) => other !== culprit));
      }
    }
    return "settled";
  };
}

function rejectAll(batch: readonly Waiting[], cause: unknown): void {
  const error = cause instanceof OutcomeUnknown ? cause : unavailable(cause);
  for (const { reject } of batch) reject(error);
}
