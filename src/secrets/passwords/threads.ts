import { extname } from "node:path";
import type { Piscina } from "piscina";
import { createSlots } from "../../slots.ts";
import type { HashJob, VerifyJob } from "./worker.ts";

/** Too much waits to be hashed already: the caller should try again later. */
export class HashingOverloaded extends Error {
  override readonly name = "HashingOverloaded";

  constructor() {
    super("too many passwords wait to be hashed");
  }
}

/** How work waits for a thread. */
export interface Waits {
  /** Once it aborts, what waits is not done any more. */
  readonly signal?: AbortSignal;
  /**
   * Of each kind the lowest rank is done first, and where the line is full, the
   * highest is refused. Half of the line is for strangers: other work may take that half, but
   * gives it back to them.
   */
  readonly ranked?: { readonly kind: "strangers" | "known"; readonly rank: number };
}

/**
 * Threads for what would hold up the event loop, and a queue before them. Both reject when what is
 * done throws, with HashingOverloaded when too many wait already, with the signal's reason when
 * that aborts before a thread was given the work, and after close.
 */
export interface Threads {
  /** A hash of the password in PHC form. What people type has a rank: see `Waits`. */
  hash(job: HashJob, waits?: Waits): Promise<string>;
  /** Whether the hash is one of the password. */
  verify(job: VerifyJob, waits?: Waits): Promise<boolean>;
  /** How much waits. */
  waiting(): number;
  /** Ends the threads; work that they have not done rejects. */
  close(): Promise<void>;
}

// The worker's file has the ending of this one: .ts as written, .js where it was compiled.
const file = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url);

/** A thread keeps about 25 MiB once it has worked, and ends when it has not for so long. */
const idleMs = 60_000;

/**
 * Lets the event loop go first where both want the same core: it works for a moment and others wait
 * for it, while a digest keeps a core busy for long. On Linux a priority is a thread's; elsewhere
 * it would be that of the whole process. Lowering needs no privilege.
 */
const niceIncrement = process.platform === "linux" ? 19 : 0;

/** One at work and, where one may wait, the next: a thread need not ask the event loop for it. */
const jobsPerThread = 2;

/** So many threads at most. They start when they are needed, and keep no process alive idle. */
export function createThreads(threadsMax: number, waitingMax: number): Threads {
  // The pool has a queue, but ends the thread of a signal that comes after the work has begun.
  const aheadMax = Math.min(threadsMax, waitingMax);
  const lineMax = waitingMax - aheadMax;
  const slots = createSlots({
    concurrentMax: threadsMax + aheadMax,
    waitingMax: lineMax,
    overloaded: () => new HashingOverloaded(),
  });
  let pool: Promise<Piscina> | undefined;
  const startPool = async () => {
    const { Piscina } = await import("piscina");
    return new Piscina({
      ...{ filename: file.href, recordTiming: false },
      ...{ minThreads: 0, maxThreads: threadsMax, concurrentTasksPerWorker: jobsPerThread },
      ...{ idleTimeout: idleMs, niceIncrement },
    });
  };
  let isClosed = false;

  async function work<Result>(name: string, job: object): Promise<Result> {
    if (isClosed) throw new Error("the hashing threads are closed");
    try {
      pool ??= startPool();
      return await (await pool).run(job, { name });
    } catch (error) {
      // Its text is not passed on, for it may quote a password.
      const { code, name } = error as NodeJS.ErrnoException;
      throw new Error(`a hashing thread ended: ${isClosed ? "closed" : (code ?? name)}`);
    }
  }

  function inLine<Result>(begin: () => Promise<Result>, { signal, ranked }: Waits = {}) {
    const isStranger = ranked?.kind === "strangers";
    const share = isStranger ? { waitingMax: Math.floor(lineMax / 2) } : {};
    return slots.run(begin, signal, ranked && { ...ranked, ...share });
  }

  return {
    hash: (job, waits) => inLine(() => work("hash", job), waits),
    verify: (job, waits) => inLine(() => work("verify", job), waits),
    waiting: slots.waiting,
    async close() {
      isClosed = true;
      await (await pool)?.destroy();
    },
  };
}
