import { createShares, createSlots } from "../slots.ts";
import { readTold } from "./answer.ts";
import { rulesFor } from "./effects.ts";
import { type SandboxLimits, sandboxLimits } from "./limits.ts";
import type { Job, Told } from "./machine.ts";
import { endedBy, type Outcome, type Run, type RunProblem } from "./run.ts";
import { startThread, type Thread } from "./thread.ts";

/** Runs what people wrote, where it can neither reach nor hold up what is outside. */
export interface Sandbox {
  /** What came of a run. Never rejects for what a script does. */
  run(run: Run): Promise<Outcome>;
  /** Ends what runs, and refuses what comes. */
  close(): Promise<void>;
}

interface SandboxOptions {
  /** In place of the defaults. */
  readonly limits?: Partial<SandboxLimits> | undefined;
  readonly random: (bytes: number) => Uint8Array;
  /** What modules are called after besides `iam`. */
  readonly alias?: string | undefined;
}

/** The bytes from which a machine makes its random numbers. */
const seedBytes = 12;

/**
 * Makes a sandbox. Its threads start when they are first needed. Half of them at most run what
 * belongs to one organization, so that another one always has its turn.
 */
export function createSandbox({ limits: given = {}, random, alias }: SandboxOptions): Sandbox {
  const limits = { ...sandboxLimits, ...given };
  const names = alias === undefined ? ["iam"] : ["iam", alias];
  const line = createLine(limits);
  const threads = new Set<Thread>();
  const idle: Thread[] = [];
  let isClosed = false;

  async function runInThread(job: Job): Promise<Told> {
    const thread =
      takeIdle(idle) ??
      startThread(limits, {
        onEnd: () => threads.delete(thread),
        // The next run would have to wait for another one to start.
        mayEnd: () => [...threads].filter((one) => one.isUsable()).length > 1,
      });
    threads.add(thread);
    const told = await thread.run(job);
    if (thread.isUsable()) idle.push(thread);
    return told;
  }

  return {
    async run(run) {
      const context = JSON.stringify(run.context);
      if (context.length > limits.contextCharacters) {
        return unbegun(endedBy("ContextTooLarge", "There is too much to tell the action."));
      }
      const seed = run.isDry ? new Uint8Array(seedBytes) : random(seedBytes);
      const job = jobOf(run, { context, seed, names }, limits);
      const told = await line.run(run.organization, async () =>
        isClosed ? undefined : await runInThread(job),
      );
      return told === undefined
        ? unbegun(endedBy("Busy", "Too many actions run at this time."))
        : readTold(told, run.api, limits);
    },
    async close() {
      isClosed = true;
      await Promise.all([...threads].map((thread) => thread.end()));
    },
  };
}

/** The one that has waited longest: it has had the most time to make its next machine. */
function takeIdle(idle: Thread[]): Thread | undefined {
  for (let thread = idle.shift(); thread !== undefined; thread = idle.shift()) {
    if (thread.isUsable()) return thread;
  }
  return undefined;
}

/** What a job is made of besides the run. */
interface Given {
  /** As JSON. */
  readonly context: string;
  readonly seed: Uint8Array;
  readonly names: readonly string[];
}

function jobOf(run: Run, { context, seed: bytes, names }: Given, limits: SandboxLimits): Job {
  const { name, script, timeoutMs, isDry = false, api } = run;
  const { effectsBytes, logLines, logCharacters } = limits;
  const effects = rulesFor(api);
  const seed = [...new Uint32Array(Uint8Array.from(bytes).buffer), 1];
  const more = JSON.stringify({ effects, seed, names, logLines, logCharacters });
  return {
    ...{ name, script, timeoutMs, isDry, logCharacters },
    effectsCharacters: effectsBytes,
    given: `{"context":${context},${more.slice(1)}`,
  };
}

/** Where runs wait for a thread, each organization in a line of its own first. */
function createLine({ threads, waiting, waitingOfOrganization, waitMs }: SandboxLimits) {
  const full = new Error("too many runs wait");
  const overloaded = () => full;
  const shares = createShares({
    concurrentMax: Math.max(1, Math.floor(threads / 2)),
    waitingMax: waitingOfOrganization,
    overloaded,
  });
  const slots = createSlots({ concurrentMax: threads, waitingMax: waiting, overloaded });
  return {
    /** Undefined where it does not get its turn. */
    async run<Result>(
      organization: string,
      work: () => Promise<Result>,
    ): Promise<Result | undefined> {
      const patience = new AbortController();
      const timer = setTimeout(() => patience.abort(full), waitMs);
      const begin = () => {
        clearTimeout(timer);
        return work();
      };
      const { signal } = patience;
      try {
        return await shares.run(organization, () => slots.run(begin, signal), signal);
      } catch (error) {
        if (error !== full) throw error;
        return undefined;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

function unbegun(problem: RunProblem): Outcome {
  return { effects: [], log: [], durationMs: 0, memoryBytes: 0, problem };
}
