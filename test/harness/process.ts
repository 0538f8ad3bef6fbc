import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** The service as its operator has it: a process of its own. */
export interface ServiceProcess {
  readonly pid: number;
  /** What it wrote so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves to the URL when it listens; rejects with what it wrote if it ends before. */
  readonly listening: Promise<string>;
  /** Resolves when the text stands in what it wrote to its standard error. */
  readonly logged: (text: string) => Promise<void>;
  /** Resolves to how it ended, when all it wrote has been read. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  kill(signal: NodeJS.Signals): void;
  /** Signals the process and all that it started, as a terminal does on Ctrl+C. */
  killGroup(signal: NodeJS.Signals): void;
}

export interface ProcessOptions {
  readonly env?: { readonly [name: string]: string };
  /** Arguments for Node itself. */
  readonly nodeFlags?: readonly string[];
  /** Starts it as `make run` does, where the process is npm and the service its child. */
  readonly throughNpm?: boolean;
  /** The project whose service it is, where that is a copy of this one. */
  readonly project?: string;
  /** Takes what it writes to its standard error, which is then kept by nobody else. */
  readonly hear?: (text: string) => void;
}

const root = join(import.meta.dirname, "../..");
const running = new Set<ChildProcess>();

/** Starts the service with these arguments and no settings from the environment of the tests. */
export function startProcess(
  args: readonly string[],
  { env = {}, nodeFlags = [], throughNpm = false, project = root, hear }: ProcessOptions = {},
): ServiceProcess {
  const [command, ...before] = throughNpm
    ? ["npm", "run", "--silent", "start", "--"]
    : [process.execPath, ...nodeFlags, join(project, "src/main.js")];
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(command!, [...before, ...args], {
    cwd: project,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  running.add(child);
  let stdout = "";
  let stderr = "";
  const url = Promise.withResolvers<string>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    const [, said] = /^listening on (\S+)\n/m.exec(stdout) ?? [];
    if (said !== undefined) url.resolve(said);
  });
  const keep = (text: string) => {
    stderr += text;
  };
  child.stderr.setEncoding("utf8").on("data", hear ?? keep);
  const ended = once(child, "close").then(([code, signal]) => {
    running.delete(child);
    url.reject(new Error(`it ended with ${code ?? signal}: ${stderr}`));
    return { code, signal };
  });
  // One who only waits for the end does not care that it never listened.
  url.promise.catch(() => {});
  return {
    pid: child.pid!,
    stdout: () => stdout,
    stderr: () => stderr,
    listening: url.promise,
    logged: (text) =>
      new Promise((resolve) => {
        const look = () => {
          if (!stderr.includes(text)) return;
          child.stderr.off("data", look);
          resolve();
        };
        child.stderr.on("data", look);
        look();
      }),
    ended,
    kill: (signal) => void child.kill(signal),
    killGroup: (signal) => killGroup(child, signal),
  };
}

/** Ends what a failed test has left running. */
export async function endProcesses(): Promise<void> {
  const ends = [...running].map((child) => once(child, "close"));
  for (const child of running) killGroup(child, "SIGKILL");
  await Promise.all(ends);
}

/** For programs that start processes: ends them when the program itself is ended. */
export function endProcessesAtSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void endProcesses().finally(() => process.exit(1)));
  }
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-child.pid!, signal);
  } catch {
    // It is gone already, and only what it wrote is still on its way.
  }
}

/**
 * Runs the body with a fresh directory, which is removed afterwards: once no process runs any more
 * that could write there meanwhile.
 */
export async function inDirectory<T>(body: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "iam-test-"));
  try {
    return await body(directory);
  } finally {
    await endProcesses();
    await rm(directory, { recursive: true });
  }
}

/** Repeats the step until the promise settles, for what a process does only after some time. */
export async function repeatUntil<T>(settled: Promise<T>, step: () => void): Promise<T> {
  const over = new AbortController();
  const result = settled.finally(() => over.abort());
  while (!over.signal.aborted) {
    step();
    await pause(50, undefined, { signal: over.signal }).catch(() => {});
  }
  return result;
}
