import { readTold } from "./answer.ts";
import { rulesFor } from "./effects.ts";
import { createAsk, type Http } from "./http.ts";
import { type SandboxLimits, sandboxLimits } from "./limits.ts";
import { createLine } from "./line.ts";
import type { Job, Told } from "./machine.ts";
import { endedBy, type Outcome, type Run, type RunProblem } from "./run.ts";
import { createStandings } from "./standing.ts";
import { startThread, type Thread } from "./thread.ts";

/** Runs what people wrote, where it can neither reach nor hold up what is outside. */
export interface Sandbox {
  /**
   * What came of a run. Never rejects for what a script does; rejects with the reason of its
   * signal where that aborts.
   */
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
  /** What scripts may ask hosts by; left out, they may ask none. */
  readonly http?: Http | undefined;
}

/** The bytes from which a machine makes its random numbers. */
const seedBytes = 12;

/**
 * Makes a sandbox. Its threads start when they are first needed. Half of them at most run what
 * belongs to one organization, and one is kept for those whose runs end soon.
 */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { limits: given = {}, random, alias, http } = options;
  const limits = { ...sandboxLimits, ...given };
  const names = alias === undefined ? ["iam"] : ["iam", alias];
  const line = createLine(limits);
  const standings = createStandings(limits, () => performance.now());
  const threadLimits = { ...limits, askCharacters: http === undefined ? 0 : limits.httpBytes };
  const threads = new Set<Thread>();
  const idle: Thread[] = [];
  let isClosed = false;

  function start(): Thread {
    const thread = startThread(threadLimits, {
      onEnd: () => threads.delete(thread),
      // The next run would have to wait for another one to start.
      mayEnd: () => thread.isLow() || [...threads].filter((one) => one.isUsable()).length > 1,
    });
    threads.add(thread);
    return thread;
  }

  /** Who is prompt is not given a thread that gives way where there can be another one. */
  function takeThread(isPrompt: boolean): Thread {
    const fitting = takeIdle(idle, (thread) => thread.isLow() !== isPrompt);
    if (fitting !== undefined) return fitting;
    const canStart = isPrompt && threads.size < limits.threads;
    return (canStart ? undefined : takeIdle(idle, () => true)) ?? start();
  }

  async function runInThread(job: Job, { organization, signal }: Run): Promise<Told> {
    const thread = takeThread(standings.isPrompt(organization));
    const told = await thread.run(job, {
      ...{ signal, isSlow: standings.isSlow(organization) },
      makeAsk: http && ((over) => createAsk(http, { organization, signal: over }, limits)),
    });
    standings.note(organization, told.durationMs);
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
      const { organization, signal } = run;
      const isPrompt = standings.isPrompt(organization);
      const told = await line.run({ organization, isPrompt, signal }, async () =>
        isClosed ? undefined : await runInThread(job, run),
      );
      signal?.throwIfAborted();
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
function takeIdle(idle: Thread[], fits: (thread: Thread) => boolean): Thread | undefined {
  const usable = idle.filter((thread) => thread.isUsable());
  const taken = usable.find(fits);
  idle.splice(0, idle.length, ...usable.filter((thread) => thread !== taken));
  return taken;
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

function unbegun(problem: RunProblem): Outcome {
  return { effects: [], log: [], durationMs: 0, memoryBytes: 0, problem };
}
