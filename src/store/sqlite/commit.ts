import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import type Database from "better-sqlite3";
import type { StateMac } from "../chain/state.ts";
import type { Append, AppendResult } from "../store.ts";
import { OutcomeUnknown, StoreUnavailable } from "../store.ts";
import type { Answers } from "./answers.ts";
import { prepareAppend } from "./append.ts";
import type { FileArtifacts } from "./artifacts.ts";
import { isBusy, isPassing, nextPauseMs, unavailable } from "./connection.ts";
import type { LogEnd } from "./end.ts";
import type { SqliteLimits } from "./limits.ts";
import type { Trust } from "./outcome.ts";
import { prepareRevision } from "./rebuild.ts";

/** Appends of one turn of the event loop share one transaction and one flush to the disk. */
export interface GroupCommit {
  /** Puts the append in the queue. Resolves and rejects as `Store.append` says. */
  submit(append: Append): Promise<AppendResult>;
  /** Resolves when the queue is empty. */
  drain(): Promise<void>;
}

/** How a connection writes: by which projection, where to, and how objects are sealed. */
export interface Written {
  readonly revision: number;
  readonly end: LogEnd;
  readonly macOf: StateMac;
}

/**
 * Makes the queue of a connection whose objects and claims are made with the projection revision.
 *
 * Between BEGIN and COMMIT nothing is awaited, so no read ever sees an open transaction. Answers,
 * refusals included, are given after COMMIT. When the file or the machine fails, so does the whole
 * batch: as unavailable where none of it happened, as unknown where it may still appear, and then
 * there is no other batch. When one append throws by itself, it alone is rejected; the batch is
 * rolled back and its other appends, none of which was answered, are tried again without it. A
 * rollback that fails ends the process: nothing was answered and SQLite recovers the file when it
 * is opened again.
 */
export function groupCommit(
  db: Database.Database,
  written: Written,
  limits: SqliteLimits,
  parts: Pick<Batching, "trust" | "answers" | "artifacts">,
): GroupCommit {
  const waiting: Waiting[] = [];
  const commitBatch = prepareBatch(db, { ...written, ...parts, waiting, ...limits });
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      await turn();
      let pauseMs = limits.retryMinMs;
      while (commitBatch() === "busy") {
        rejectOverdue();
        if (waiting.length === 0) break;
        await pause(pauseMs);
        pauseMs = nextPauseMs(pauseMs, limits);
      }
    }
    running = undefined;
  }

  function rejectOverdue(): void {
    const oldestMs = performance.now() - limits.busyDeadlineMs;
    const first = waiting.findIndex(({ sinceMs }) => sinceMs > oldestMs);
    const overdue = waiting.splice(0, first < 0 ? waiting.length : first);
    rejectAll(overdue, new StoreUnavailable("Other processes locked the database for too long."));
  }

  return {
    submit: (append) =>
      new Promise((resolve, reject) => {
        if (waiting.length >= limits.waitingAppends) {
          throw new StoreUnavailable(`${waiting.length} appends are waiting already.`);
        }
        waiting.push({ append, resolve, reject, sinceMs: performance.now() });
        running ??= run();
      }),
    drain: async () => running,
  };
}

interface Waiting {
  readonly append: Append;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: unknown) => void;
  readonly sinceMs: number;
}

interface Batching extends Written, SqliteLimits {
  readonly waiting: Waiting[];
  readonly trust: Trust;
  readonly answers: Answers;
  readonly artifacts: Pick<FileArtifacts, "removeFamily">;
}

/** Makes the function that commits the first waiting appends, or leaves them for a lock. */
function prepareBatch(
  db: Database.Database,
  { revision, end, macOf, waiting, trust, answers, artifacts, batchAppends }: Batching,
): () => "settled" | "busy" {
  // IMMEDIATE takes the only write lock first: what the checks read stays true until COMMIT.
  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  const rollback = db.prepare("ROLLBACK");
  const write = prepareAppend(db, end.record, macOf, { answers, artifacts });
  const storedRevision = prepareRevision(db);

  function start(): "started" | "settled" | "busy" {
    try {
      trust.assertWritable();
      begin.run();
      if (storedRevision() !== revision) {
        throw new StoreUnavailable("A newer program has taken over the file; start that one.");
      }
      end.take();
      return "started";
    } catch (error) {
      if (db.inTransaction) rollback.run();
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
    try {
      for (const { append, resolve } of batch) {
        const result = write(append);
        answers.push(() => resolve(result));
      }
      end.save();
      commit.run();
      end.keep();
      // What was written meanwhile to a file that is not there any more is not acknowledged.
      trust.assertWritable();
      for (const answer of answers) answer();
    } catch (error) {
      if (db.inTransaction) rollback.run();
      // When all are written it was COMMIT that failed, or the file, and no append is to blame.
      const told = trust.judge(error, answers.length === batch.length);
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
