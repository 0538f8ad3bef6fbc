import { readTold } from "./answer.ts";
import { effectRules } from "./effects.ts";
import { createAsk, type Http } from "./http.ts";
import { type SandboxLimits, sandboxLimits } from "./limits.ts";
import { createLine } from "./line.ts";
import type { Job, Told } from "./machine.ts";
import { createPool } from "./pool.ts";
import { endedBy, type Outcome, type Run, type RunProblem } from "./run.ts";
import { createStandings } from "./standing.ts";

/** Runs what people wrote, where it can neither reach nor hold up what is outside. */
export interface Sandbox {
  /**
   * What came of a run. Never rejects for what a script does; rejects with the reason of its
   * signal where that aborts.
   */
  run(run: Run): Promise<Outcome>;
  /** Runs since the start but for dry ones: how many there were, and how many failed. */
  figures(): { readonly actionRuns: number; readonly failedActionRuns: number };
  /** Ends what runs, and refuses what comes. */
  close(): Promise<void>;
}

interface SandboxOptions {
  /** In place of the defaults. */
  readonly limits?: Partial<SandboxLimits> | undefined;
  readonly random: (bytes: number) => Uint8Array;
  /** What modules are called after besides `iam`. */
  readonly alias?: string | undefined;
  /** What scripts may ask hosts by; left out or without hosts, they may ask none. */
  readonly http?: Http | undefined;
}

/** The bytes from which a machine makes its random numbers. */
const seedBytes = 12;

/**
 * Makes a sandbox. Its threads start when they are first needed. Half of them at most run what
 * belongs to one organization, and one is kept for those whose runs end soon.
 */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { limits: given = {}, random, alias } = options;
  const limits = { ...sandboxLimits, ...given };
  const names = alias === undefined ? ["iam"] : ["iam", alias];
  const line = createLine(limits);
  const standings = createStandings(limits, () => performance.now());
  const http = options.http?.hosts.length === 0 ? undefined : options.http;
  const askCharacters = http === undefined ? 0 : limits.httpBytes;
  const pool = createPool({ ...limits, askCharacters });
  let [actionRuns, failedActionRuns] = [0, 0];
  let isClosed = false;

  async function runNow(job: Job, { organization, signal }: Run): Promise<Told> {
    const isPrompt = standings.isPrompt(organization);
    const told = await pool.run(job, {
      ...{ signal, isPrompt, isSlow: standings.isSlow(organization) },
      makeAsk: http && ((over) => createAsk(http, { organization, signal: over }, limits)),
    });
    standings.note(organization, told.durationMs);
    return told;
  }

  async function answer(run: Run): Promise<Outcome> {
    const context = JSON.stringify(run.context);
    if (context.length > limits.contextCharacters) {
      return unbegun(endedBy("ContextTooLarge", "There is too much to tell the action."));
    }
    const seed = run.isDry ? new Uint8Array(seedBytes) : random(seedBytes);
    const job = jobOf(run, { context, seed, names }, limits);
    const { organization, signal } = run;
    const isPrompt = standings.isPrompt(organization);
    const told = await line.run({ organization, isPrompt, signal }, async () =>
      isClosed ? undefined : await runNow(job, run),
    );
    signal?.throwIfAborted();
    return told === undefined
      ? unbegun(endedBy("Busy", "Too many actions run at this time."))
      : readTold(told, run.api, limits);
  }

  return {
    async run(run) {
      const outcome = await answer(run);
      if (!run.isDry) actionRuns += 1;
      if (!run.isDry && outcome.problem !== undefined) failedActionRuns += 1;
      return outcome;
    },
    figures: () => ({ actionRuns, failedActionRuns }),
    async close() {
      isClosed = true;
      await pool.close();
    },
  };
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
  const effects = api.map((kind) => ({ kind, ...effectRules[kind] }));
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
