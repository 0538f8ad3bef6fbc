import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { parentPort, receiveMessageOnPort } from "node:worker_threads";
import { CompileFlags, JSException, type JSValueHandle, QuickJS } from "quickjs-wasi";
import { endedBy, type RunProblem } from "./run.ts";
import { signs } from "./signs.ts";

// The only file that knows the engine. It runs in a thread, which ends if a machine does not.

/** A run as a thread is told of it: text and numbers alone. */
export interface Job {
  readonly name: string;
  readonly script: string;
  /** What `guest.js` is given, as JSON. */
  readonly given: string;
  readonly timeoutMs: number;
  readonly isDry: boolean;
  /** Effects and lines that are longer together, as JSON, are not told. */
  readonly effectsCharacters: number;
  readonly logCharacters: number;
}

/** What a thread tells of a run. */
export interface Told {
  /** The effects and the log as JSON that the machine made, which is not to be trusted. */
  readonly effects: string;
  readonly log: string;
  readonly durationMs: number;
  readonly memoryBytes: number;
  readonly problem?: RunProblem;
}

/** The name of the script in traces of calls. */
const file = "action";
/** The time of dry runs: 2026-01-01, 00:00 UTC, in Unix milliseconds. */
export const dryTimeMs = Date.UTC(2026, 0, 1);
/** Milliseconds in which what was logged until the deadline is told. */
const tellMs = 20;
const nothing = "[]";

/** What Node has and its types do not. */
const { WebAssembly: compiler } = globalThis as unknown as {
  readonly WebAssembly: { compile(bytes: Uint8Array): Promise<object> };
};

/** Runs jobs, each in a machine of its own. */
export interface Machines {
  run(job: Job): Promise<Told>;
  /** Makes the machine of the next job, which then need not wait for it. */
  prepare(): Promise<void>;
}

/** What a thread is given to run jobs with. */
export interface MachineData extends MachineLimits {
  /** What the thread is told while its run goes on: see `signs`. */
  readonly signs: SharedArrayBuffer;
  /** Characters that a script may ask hosts at once; 0 where it may ask none. */
  readonly askCharacters: number;
}

/** What a thread asks for a script, to be answered with a text. */
export interface Asked {
  readonly ask: string;
}

/** How much a machine may take. */
interface MachineLimits {
  readonly memoryBytes: number;
  readonly stackBytes: number;
}

/** Reads and compiles the engine. */
export async function loadMachines(data: MachineData): Promise<Machines> {
  const main = createRequire(import.meta.url).resolve("quickjs-wasi");
  const wasm = await compiler.compile(await readFile(join(dirname(main), "../quickjs.wasm")));
  const guest = await compileGuest(wasm);
  const make = () => makeMachine({ wasm, guest }, data);
  let next: Promise<Machine> | undefined;
  return {
    async run(job) {
      const machine = await (next ?? make());
      next = undefined;
      return runIn(machine, job);
    },
    async prepare() {
      next ??= make();
      await next;
    },
  };
}

/** What the engine makes of the guest part, which each machine then need not parse. */
async function compileGuest(wasm: object): Promise<Uint8Array> {
  const text = await readFile(new URL("./guest.js", import.meta.url), "utf8");
  const vm = await QuickJS.create({ wasm });
  const { STRIP_SOURCE, STRIP_DEBUG } = CompileFlags;
  const compiled = vm.compile(text, "guest", 0, STRIP_SOURCE | STRIP_DEBUG);
  vm.dispose();
  return compiled;
}

/** A machine that has run nothing yet but the guest part. */
interface Machine {
  readonly vm: QuickJS;
  /** The function of `guest.js`. */
  readonly guest: JSValueHandle;
  /** What asks hosts, where scripts may. */
  readonly ask: JSValueHandle;
  readonly pace: Pace;
  /** The bytes that it has taken: they never become fewer. */
  readonly memoryBytes: () => number;
}

/** How far a run is, and what time it is in it. */
interface Pace {
  untilMs: number;
  /** Whether it was interrupted, at its deadline or because nobody waits for it. */
  isLate: boolean;
  clock: () => number;
}

async function makeMachine(
  { wasm, guest }: { readonly wasm: object; readonly guest: Uint8Array },
  { memoryBytes: memoryLimit, stackBytes: maxStackSize, signs: shared, askCharacters }: MachineData,
): Promise<Machine> {
  const told = new Int32Array(shared);
  const pace: Pace = { untilMs: Number.POSITIVE_INFINITY, isLate: false, clock: Date.now };
  let memory: { readonly buffer: ArrayBuffer } | undefined;
  const vm = await QuickJS.create({
    ...{ wasm, memoryLimit, maxStackSize, timezoneOffset: 0 },
    interruptHandler: () => {
      // While it is made there is no run that could be stopped.
      const isStopped = pace.untilMs < Infinity && Atomics.load(told, signs.isStopped) === 1;
      pace.isLate ||= isStopped || performance.now() > pace.untilMs;
      return pace.isLate;
    },
    wasi: (own: { readonly buffer: ArrayBuffer }) => {
      memory = own;
      return {
        clock_time_get(_clock: number, _precision: bigint, at: number): number {
          new DataView(own.buffer).setBigUint64(at, BigInt(pace.clock()) * 1_000_000n, true);
          return 0;
        },
      };
    },
  });
  const memoryBytes = () => memory?.buffer.byteLength ?? 0;
  const answer = (asked: JSValueHandle | undefined) => {
    const text = askFor((asked?.toString() ?? "").slice(0, askCharacters + 1), pace, told);
    return text === undefined ? vm.undefined : vm.newString(text);
  };
  const ask = askCharacters > 0 ? vm.newFunction("ask", answer) : vm.undefined;
  return { vm, guest: vm.evalBytecode(guest), ask, pace, memoryBytes };
}

/** Has a host asked, and waits for the answer; undefined where the run is to end before. */
function askFor(ask: string, { untilMs }: Pace, told: Int32Array): string | undefined {
  Atomics.store(told, signs.isAnswered, 0);
  // What stops it wakes it as well, but for one that came before this.
  if (Atomics.load(told, signs.isStopped) === 1) return undefined;
  parentPort?.postMessage({ ask } satisfies Asked);
  const leftMs = Math.max(0, untilMs - performance.now());
  Atomics.wait(told, signs.isAnswered, 0, leftMs);
  const answer = parentPort ? receiveMessageOnPort(parentPort)?.message : undefined;
  return typeof answer === "string" ? answer : undefined;
}

function runIn({ vm, guest, ask, pace, memoryBytes }: Machine, job: Job): Told {
  const beginMs = performance.now();
  pace.untilMs = beginMs + job.timeoutMs;
  if (job.isDry) pace.clock = () => dryTimeMs;
  const tell = (told: { effects?: string; log?: string; problem?: RunProblem | undefined }) => ({
    ...{ effects: told.effects ?? nothing, log: told.log ?? nothing },
    ...{ durationMs: performance.now() - beginMs, memoryBytes: memoryBytes() },
    ...(told.problem && { problem: told.problem }),
  });
  try {
    const prepared = vm.callFunction(guest, vm.undefined, vm.newString(job.given), ask);
    const part = (name: string) => prepared.getProp(name);
    const [tellEffects, tellLog] = [part("tellEffects"), part("tellLog")];
    const found = problemOf(vm, job, part, pace);
    const problem = performance.now() > pace.untilMs ? late : found;
    pace.untilMs = performance.now() + tellMs;
    pace.isLate = false;
    const text = (made: JSValueHandle) => vm.callFunction(made, vm.undefined).toString();
    const log = text(tellLog).slice(0, job.logCharacters);
    if (problem !== undefined) return tell({ log, problem });
    const effects = text(tellEffects);
    if (effects.length <= job.effectsCharacters) return tell({ effects, log });
    return tell({ log, problem: endedBy("InvalidEffects", "It asked for too much.") });
  } catch (error) {
    // Where there is no room even for what is to be told.
    return tell({ problem: describe(error, pace) });
  } finally {
    vm.dispose();
  }
}

/** Runs the script, then its function; answers how that failed. */
function problemOf(
  vm: QuickJS,
  { name, script }: Job,
  part: (name: string) => JSValueHandle,
  pace: Pace,
): RunProblem | undefined {
  const [ctx, api, watch, hasSettled] = [
    part("ctx"),
    part("api"),
    part("watch"),
    part("hasSettled"),
  ];
  try {
    vm.evalCode(script, file);
    const called = findFunction(vm, name);
    if (called === undefined) {
      return endedBy("NoFunction", `The script has no function that is named ${name}.`);
    }
    const result = vm.callFunction(called, vm.undefined, ctx, api);
    if (result.isPromise) vm.callFunction(watch, vm.undefined, result);
    vm.executePendingJobs();
    const isDone = !result.isPromise || vm.callFunction(hasSettled, vm.undefined).toBoolean();
    return isDone
      ? undefined
      : endedBy("Unsettled", "The function waits for something that never happens.");
  } catch (error) {
    return describe(error, pace);
  }
}

/** What the script calls by the name, where that is a function. */
function findFunction(vm: QuickJS, name: string): JSValueHandle | undefined {
  if (!/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)) return undefined;
  // A word of the language names no function, and cannot be asked for.
  const found = vm.evalCode(
    `(() => { try { return (0, eval)(${JSON.stringify(name)}); } catch {} })()`,
  );
  return found.typeof === "function" ? found : undefined;
}

const late = endedBy("Timeout", "It did not end in time.");

/** What is told of an error: nothing but its class, its message and its place in the script. */
function describe(error: unknown, { isLate }: Pace): RunProblem {
  if (isLate) return late;
  if (!(error instanceof JSException)) return endedBy("OutOfMemory", "It ran out of memory.");
  const { name, message, stack = "" } = error;
  if (name === "InternalError" && message === "out of memory") {
    return endedBy("OutOfMemory", "It ran out of memory.");
  }
  const [, line, column] = placePattern.exec(stack) ?? [];
  return {
    errorClass: errorClasses.has(name) ? name : "Error",
    message,
    ...(line !== undefined && { line: Number(line), column: Number(column) }),
  };
}

/** Where in the script something was called; functions of the engine have no such place. */
const placePattern = new RegExp(`\\b${file}:(\\d{1,6}):(\\d{1,6})\\b`);

/** The classes of JavaScript. Others have names that a script may make of what it was told. */
const errorClasses = new Set([
  ...["AggregateError", "Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError"],
  ...["TypeError", "URIError"],
]);
