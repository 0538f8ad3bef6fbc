import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { type Conversation, type ConversationOptions, openConversation } from "./conversation.ts";
import type { SandboxLimits } from "./limits.ts";
import type { Asked, Job, MachineData, Told } from "./machine.ts";
import type { Ready } from "./machine-thread.ts";
import { watchPriority } from "./priority.ts";
import { endedBy, type RunProblem } from "./run.ts";
import { makeSigns } from "./signs.ts";

/** A thread that runs one job at a time. */
export interface Thread {
  /**
   * Answers what the thread tells, or how it ended. A job that does not end in time ends with it,
   * and is answered when it is gone.
   */
  run(job: Job, more?: RunOptions): Promise<Told>;
  /** Whether it gives way to all other threads, for good. */
  isLow(): boolean;
  /** Whether it takes another job. */
  isUsable(): boolean;
  /** Ends it, and whatever it runs. */
  end(): Promise<void>;
}

/** What a job may need besides. */
export interface RunOptions extends ConversationOptions {
  /** Whether the thread gives way from now on; it does so in any case when the job takes long. */
  readonly isSlow?: boolean;
}

// The thread's file has the ending of this one: .ts as written, .js where it was compiled.
const file = new URL(`./machine-thread${extname(import.meta.filename)}`, import.meta.url);

/** Megabytes of heap for what is not in a machine: the engine's code and what it hands over. */
const heapMegabytes = 64;

/** How much a thread may take. */
export type ThreadLimits = Pick<
  SandboxLimits,
  "briefMs" | "graceMs" | "idleMs" | "startMs" | "memoryBytes" | "stackBytes"
> &
  Pick<MachineData, "askCharacters">;

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
  const shared = makeSigns();
  const worker = startWorker(limits, shared);
  const ready = Promise.withResolvers<void>();
  const priority = watchPriority(limits.briefMs);
  let conversation: Conversation | undefined;
  let ending: RunProblem | undefined;
  let idle: NodeJS.Timeout | undefined;
  worker.on("message", (said: Told | Asked | Ready) => {
    if (!("ready" in said)) return conversation?.take(said);
    priority.know(said.ready);
    ready.resolve();
  });
  worker.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "ERR_WORKER_OUT_OF_MEMORY") ending ??= full;
  });
  worker.on("exit", () => {
    ending ??= gone;
    clearTimeout(idle);
    ready.resolve();
    onEnd();
  });

  async function end(): Promise<void> {
    ending ??= gone;
    await worker.terminate();
  }

  /** Ends it with what is then told of its job, after what it has told already was read. */
  function endLater(ms: number, problem: RunProblem): NodeJS.Timeout {
    const asked = conversation;
    return setTimeout(() => {
      setImmediate(() => {
        if (conversation !== asked) return;
        ending ??= problem;
        void end();
      });
    }, ms);
  }

  async function ask(job: Job, options: RunOptions): Promise<Told> {
    conversation = openConversation(worker, shared, options);
    const { told, take, begin, close } = conversation;
    const starting = endLater(startMs, endedBy("Failed", "The thread of the run did not start."));
    await ready.promise;
    clearTimeout(starting);
    const beginMs = performance.now();
    const timers = [endLater(job.timeoutMs + graceMs, lateEnd)];
    const giveUp = () => take(untoldAfter(performance.now() - beginMs, ending));
    // The thread outlives the job, so nothing of the job may stay with it.
    worker.once("exit", giveUp);
    if (ending) giveUp();
    else begin(job, () => timers.push(endLater(graceMs, lateEnd)));
    priority.begin(options.isSlow ?? false);
    const outcome = await told;
    worker.off("exit", giveUp);
    for (const timer of timers) clearTimeout(timer);
    priority.end();
    close();
    conversation = undefined;
    return outcome;
  }

  return {
    async run(job, options = {}) {
      clearTimeout(idle);
      worker.ref();
      const outcome = await ask(job, options);
      worker.unref();
      idle = setTimeout(() => void (mayEnd() && end()), idleMs).unref();
      return outcome;
    },
    isUsable: () => ending === undefined,
    isLow: priority.isLow,
    end,
  };
}

/** What is told of a job whose thread has ended. */
function untoldAfter(durationMs: number, problem: RunProblem | undefined): Told {
  return { effects: "[]", log: "[]", durationMs, memoryBytes: 0, ...(problem && { problem }) };
}

const gone = endedBy("Failed", "The thread of the run ended.");
const full = endedBy("OutOfMemory", "It ran out of memory.");
const lateEnd = endedBy("Timeout", "It did not end in time.");

function startWorker(
  { memoryBytes, stackBytes, askCharacters }: ThreadLimits,
  shared: SharedArrayBuffer,
): Worker {
  const workerData: MachineData = { memoryBytes, stackBytes, askCharacters, signs: shared };
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
