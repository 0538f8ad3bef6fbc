import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { endProcesses, inDirectory, startProcess } from "../harness/process.ts";
import { type FuzzOptions, type FuzzReport, type FuzzTarget, fuzz } from "./run.ts";

/** What a run against a process of its own came to. */
export interface ProcessReport extends FuzzReport {
  /** Lines of the log that tell of a defect. */
  readonly errors: readonly string[];
  /** MiB per 100,000 requests, over the second half of the run. */
  readonly growthMiB: number;
  /** How the process and its verification ended. */
  readonly exitCodes: readonly (number | null)[];
}

/** Lines of pino's levels error and fatal. */
const defect = /^\{"level":[56]0,.*$/gm;

/** Sends the requests to the service as its operator has it, in 256 MB of heap. */
export async function fuzzProcess(options: FuzzOptions): Promise<ProcessReport> {
  try {
    return await inDirectory((directory) => fuzzIn(directory, options));
  } finally {
    await endProcesses();
  }
}

async function fuzzIn(directory: string, options: FuzzOptions): Promise<ProcessReport> {
  const errors: string[] = [];
  let rest = "";
  const hear = (text: string) => {
    const whole = rest + text;
    const end = whole.lastIndexOf("\n") + 1;
    rest = whole.slice(end);
    errors.push(...(whole.slice(0, end).match(defect) ?? []));
  };
  const args = ["--data-dir", directory];
  const service = startProcess(["serve", "--port", "0", "--request-timeout-ms", "1000", ...args], {
    nodeFlags: ["--max-old-space-size=256"],
    hear,
  });
  const url = await service.listening;
  const target: FuzzTarget = {
    url,
    port: Number(new URL(url).port),
    owner: (await readFile(join(directory, "admin.token"), "utf8")).trim(),
    residentBytes: () => residentBytes(service.pid),
  };
  const ended = service.ended.then(({ code, signal }) => {
    throw new Error(`the service ended with ${code ?? signal}: ${errors.join("\n")}${rest}`);
  });
  ended.catch(() => {});
  const report = await Promise.race([fuzz(target, options), ended]);
  const healthy = await fetch(`${url}/healthz`);
  if (!healthy.ok) errors.push(`it is not healthy: ${healthy.status}`);
  service.kill("SIGTERM");
  const { code } = await service.ended;
  const verified = await startProcess(["verify", ...args]).ended;
  const exitCodes = [code, verified.code];
  return { ...report, errors, growthMiB: growthOf(report.samples), exitCodes };
}

export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/** The slope of the line that fits the second half best, in MiB per 100,000 requests. */
function growthOf(samples: FuzzReport["samples"]): number {
  const later = samples.slice(Math.floor(samples.length / 2));
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const [x, y] = [mean(later.map(([at]) => at)), mean(later.map(([, bytes]) => bytes))];
  const above = later.reduce((sum, [at, bytes]) => sum + (at - x) * (bytes - y), 0);
  const below = later.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
  return ((above / below) * 100_000) / 1024 ** 2;
}
