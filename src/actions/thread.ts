import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { SandboxLimits } from "./limits.ts";
import type { Job, MachineLimits, Told } from "./machine.ts";
import { endedBy, type RunProblem } from "./run.ts";

/** A thread that runs one job at a time. */
export interface Thread {
  /**
   * Answers what the thread tells, or how it ended. A job that does not end in time ends with it,
   * and is answered when it is gone.
   */
  run(job: Job): Promise<Told>;
  /** Whether it takes another job. */
  isUsable(): boolean;
  /** Ends it, and whatever it runs. */
  end(): Promise<void>;
}

// The thread's file has the ending of this one: .ts as written, .js where it was compiled.
const file = new URL(`./machine-thread${extname(import.meta.filename)}`, import.meta.url);

/** Megabytes of heap for what is not in a machine: the engine's code and what it hands over. */
const heapMegabytes = 64;

type ThreadLimits = Pick<SandboxLimits, "graceMs" | "idleMs" | "startMs"> & MachineLimits;

/** What a thread asks and tells of its end. */
interface ThreadEnd {
  onEnd(): void;
  /** Whether it may end for having nothing to do. */
  mayEnd(): boolean;
}

/**
 * Starts a thread. It keeps no process alive while it has nothing to do, and then ends after a
 * while, if it may.
 */
export function startThread(limits: ThreadLimits, { onEnd, mayEnd }: ThreadEnd): Thread {
  const { graceMs, idleMs, startMs } = limits;
  const worker = startWorker(limits);
  const ended = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<boolean>();
  let tell: ((told: Told) => void) | undefined;
  let ending: RunProblem | undefined;
  let idle: NodeJS.Timeout | undefined;
  worker.on("message", (told: Told | "ready") => {
    if (told === "ready") ready.resolve(true);
    else tell?.(told);
  });
  worker.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "ERR_WORKER_OUT_OF_MEMORY") ending ??= full;
  });
  worker.on("exit", () => {
    ending ??= gone;
    clearTimeout(idle);
    ready.resolve(false);
    ended.resolve();
    onEnd();
  });

  async function end(): Promise<void> {
    ending ??= gone;
    await worker.terminate();
    await ended.promise;
  }

  /** Ends it with what is then told of its job, after what it has told already was read. */
  function endLater(ms: number, problem: RunProblem): NodeJS.Timeout {
    const asked = tell;
    return setTimeout(() => {
      setImmediate(() => {
        if (tell !== asked) return;
        ending ??= problem;
        void end();
      });
    }, ms);
  }

  async function ask(job: Job): Promise<Told> {
    const answered = Promise.withResolvers<Told>();
    tell = answered.resolve;
    const starting = endLater(startMs, endedBy("Failed", "The thread of the run did not start."));
    const isReady = await ready.promise;
    clearTimeout(starting);
    const beginMs = performance.now();
    const late = endLater(job.timeoutMs + graceMs, lateEnd);
    if (isReady) worker.postMessage(job);
    const untold = ended.promise.then((): Told => {
      const durationMs = performance.now() - beginMs;
      const problem = ending === undefined ? {} : { problem: ending };
      return { effects: "[]", log: "[]", durationMs, memoryBytes: 0, ...problem };
    });
    const told = await Promise.race([answered.promise, untold]);
    clearTimeout(late);
    tell = undefined;
    return told;
  }

  return {
    async run(job) {
      clearTimeout(idle);
      worker.ref();
      const told = await ask(job);
      worker.unref();
      idle = setTimeout(() => void (mayEnd() && end()), idleMs).unref();
      return told;
    },
    isUsable: () => ending === undefined,
    end,
  };
}

const gone = endedBy("Failed", "The thread of the run ended.");
const full = endedBy("OutOfMemory", "It ran out of memory.");
const lateEnd = endedBy("Timeout", "It did not end in time.");

function startWorker({ memoryBytes, stackBytes }: ThreadLimits): Worker {
  const workerData: MachineLimits = { memoryBytes, stackBytes };
  const worker = new Worker(file, {
    // Nothing of this process is for scripts, should one ever leave its machine, but where to find
    // what was compiled: the thread would load the compiler of TypeScript for a tenth of a second.
    ...{ workerData, env: compileCache(), argv: [], name: "action" },
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
  });
  worker.unref();
  return worker;
}

function compileCache(): { readonly [name: string]: string } {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
}
