import assert from "node:assert";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { post } from "../fuzz/place.ts";
import { type ServiceProcess, startProcess } from "../harness/process.ts";

/** The address of a proxy that is trusted, so that each stranger who comes by it is another one. */
export const proxyAddress = "127.0.0.2";

/** The service as a process of its own, in 256 MB of heap. */
export interface AbusedService {
  readonly url: string;
  readonly process: ServiceProcess;
  /** The token of the owner of the instance. */
  readonly owner: string;
  /** How often calls and requests came to what, by what the service logs. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** Lines that tell of a defect. */
  readonly defects: readonly string[];
  /** The last of what it said about a defect, or of what nobody else reads. */
  lastWords(): string;
  /** Bytes of all files of its data directory. */
  fileBytes(): Promise<number>;
  /** Begins to look at how much it takes; answers what tells how much that was at most. */
  watchPeak(): () => Promise<Peak>;
}

export interface Peak {
  /** Since it was started. */
  readonly residentMiB: number;
  readonly heapMiB: number;
  /** The longest time for which the event loop did nothing else, in milliseconds. */
  readonly blockMs: number;
}

export async function startAbused(directory: string): Promise<AbusedService> {
  const outcomes = new Map<string, number>();
  const defects: string[] = [];
  let rest = "";
  const hear = (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (/^\{"level":[56]0,|^(?!\{)/.test(line)) defects.push(line);
      const [, code] = /"code":"([A-Z_]+)"/.exec(line) ?? [];
      if (code !== undefined) outcomes.set(code, (outcomes.get(code) ?? 0) + 1);
    }
  };
  const args = ["serve", "--port", "0", "--data-dir", directory, "--trusted-proxies", proxyAddress];
  const gauge = join(import.meta.dirname, "gauge.ts");
  const nodeFlags = ["--max-heap-size=256", "--import", gauge];
  const env = {
    ...(await startEnvironment()),
    NODE_COMPILE_CACHE: join(import.meta.dirname, "../../node_modules/.cache/node"),
  };
  await serveOnce(directory, startProcess(args, { nodeFlags, env }));
  const service = startProcess(args, { nodeFlags, env, hear });
  const url = await service.listening;
  const owner = (await readFile(join(directory, "admin.token"), "utf8")).trim();
  return {
    ...{ url, process: service, owner, outcomes, defects },
    lastWords: () => `${defects.at(-1) ?? ""}\n${rest}`,
    fileBytes: () => bytesIn(directory),
    watchPeak: () => {
      const since = service.stdout().length;
      return async () => {
        const told = [
          ...service
            .stdout()
            .slice(since)
            .matchAll(/^gauge (.*)$/gm),
        ].map(([, json = ""]) => JSON.parse(json) as Gauge);
        const status = await readFile(`/proc/${service.pid}/status`, "utf8");
        return {
          residentMiB: Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]) / 1024,
          heapMiB: Math.max(0, ...told.map(({ heapUsed }) => heapUsed)) / 1024 ** 2,
          blockMs: Math.max(0, ...told.map(({ blockMs }) => blockMs)),
        };
      };
    },
  };
}

async function bytesIn(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** The variables that `bin/iam` sets for the memory of the service. */
async function startEnvironment(): Promise<{ readonly [name: string]: string }> {
  const text = await readFile(join(import.meta.dirname, "../../bin/iam"), "utf8");
  const variables = [...text.matchAll(/\b(MALLOC_\w+)="\$\{\w+-(\d+)\}"/g)];
  assert(variables.length > 0, "bin/iam sets no variables");
  return Object.fromEntries(variables.map(([, name, value]) => [name, value]));
}

/**
 * Hashes a password and ends in order, which leaves what is compiled for the next start: a first
 * one has the compiler in memory as well, once in each thread.
 */
async function serveOnce(directory: string, service: ServiceProcess): Promise<void> {
  const url = await service.listening;
  const owner = (await readFile(join(directory, "admin.token"), "utf8")).trim();
  await post(`${url}/management/v1/users/human/_import`, owner, {
    userName: "first",
    profile: { firstName: "Ada", lastName: "Lovelace" },
    email: { email: "ada@example.com", isEmailVerified: true },
    password: "correct horse battery staple",
  });
  service.kill("SIGTERM");
  await service.ended;
}

/** What the service tells of itself. */
interface Gauge {
  readonly heapUsed: number;
  readonly blockMs: number;
}
