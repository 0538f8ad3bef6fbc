import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestServer } from "../harness/server.ts";

/** An example as its reader runs it: a process of its own. */
export interface Example {
  /** What it wrote so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when its standard output or error matches; rejects if it ends before. */
  says(pattern: RegExp): Promise<void>;
  /** Resolves to the exit code when all it wrote has been read. */
  readonly ended: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
}

/** How an example ended, and what it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ExampleOptions {
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
}

export const root = join(import.meta.dirname, "../..");
const running = new Set<ChildProcess>();

/** Whom to call as whom, as the examples take it from the environment. */
export function caller(
  { url, admin }: Pick<TestServer, "url" | "admin">,
  token = admin.token,
): ExampleOptions {
  return { env: { IAM_URL: url, IAM_TOKEN: token } };
}

/** Starts a command with these settings and no others; `node` is the Node that runs the tests. */
export function startExample(
  [command, ...args]: readonly [string, ...string[]],
  { env = {}, cwd = root }: ExampleOptions = {},
): Example {
  const { PATH = "", HOME, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(command, args, {
    cwd,
    env: { HOME, NODE_COMPILE_CACHE, PATH: `${dirname(process.execPath)}:${PATH}`, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  running.add(child);
  let stdout = "";
  let stderr = "";
  const written = new Set<() => void>();
  const read = (stream: NodeJS.ReadableStream, take: (text: string) => void) =>
    stream.setEncoding("utf8").on("data", (text: string) => {
      take(text);
      for (const look of written) look();
    });
  read(child.stdout, (text) => {
    stdout += text;
  });
  read(child.stderr, (text) => {
    stderr += text;
  });
  const ended = once(child, "close").then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  return {
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    kill: (signal) => void child.kill(signal),
    async says(pattern) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const look = () => {
        if (pattern.test(stdout) || pattern.test(stderr)) resolve();
      };
      written.add(look);
      look();
      ended.then((code) => reject(new Error(`it ended with ${code}: ${stdout}${stderr}`)));
      await promise.finally(() => written.delete(look));
    },
  };
}

/** Runs a command to its end. */
export async function runExample(
  command: readonly [string, ...string[]],
  options: ExampleOptions,
): Promise<Ended> {
  const { ended, stdout, stderr } = startExample(command, options);
  return { code: await ended, stdout: stdout(), stderr: stderr() };
}

/** Ends what a failed test has left running. */
export async function endExamples(): Promise<void> {
  const ends = [...running].map((child) => once(child, "close"));
  for (const { pid } of running) if (pid !== undefined) process.kill(-pid, "SIGKILL");
  await Promise.all(ends);
}

/** Files for an example to read, in a directory of their own. */
export interface Files {
  readonly path: (name: string) => string;
  write(name: string, text: string): Promise<string>;
  remove(): Promise<void>;
}

export async function createFiles(): Promise<Files> {
  const directory = await mkdtemp(join(tmpdir(), "iam-test-"));
  const path = (name: string) => join(directory, name);
  return {
    path,
    async write(name, text) {
      await writeFile(path(name), text);
      return path(name);
    },
    remove: () => rm(directory, { recursive: true }),
  };
}
