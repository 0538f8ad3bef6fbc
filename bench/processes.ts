import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Child } from "./child.ts";
import type { LoadAnswers } from "./load.ts";
import {
  type Case,
  callsMax,
  keyOf,
  measureCases,
  type Rates,
  rowsOf,
  type Samples,
  type Say,
} from "./rates.ts";
import { serviceRequest, type Target } from "./requests.ts";
import { type Figures, type Spread, spreadOf } from "./results.ts";
import type { Pace } from "./sizes.ts";
import { brief, spreadText, table } from "./table.ts";

/** How many processes are compared. */
const counts = [1, 2];

/** The system shares connections out by chance: of so many each process gets some. */
const load = { inFlight: 64, connections: 16 } as const;

/** What several processes that share the port and the file bring, beside one. */
export async function measureProcesses(
  directory: string,
  loader: Child<LoadAnswers>,
  pace: Pace,
  say: Say,
): Promise<Rates> {
  const services: Service[] = [];
  try {
    for (const count of counts) services.push(await startService(directory, count));
    const cases = services.map(({ count, target }): Case => {
      const template = serviceRequest("grpc", "AddAPIApp", target);
      const wanted = { port: target.port, template, ...load, callsMax };
      return {
        name: nameOf(count),
        inFlight: load.inFlight,
        measure: (each) => loader.ask("run", { ...wanted, ...each }),
      };
    });
    const samples = await measureCases(cases, pace, say);
    return { rows: rowsOf(cases, samples), ratios: ratiosOf(samples) };
  } finally {
    await Promise.all(services.map(({ stop }) => stop()));
  }
}

/** What it brings, for people. */
export function showProcesses({ rows = [], ratios = {} }: Figures): string {
  const cells = rows.map(({ name, rate, p50Ms, p99Ms }) => [
    ...[name, brief(rate.median), spreadText(rate)],
    ...[brief(p50Ms.median), brief(p99Ms.median)],
  ]);
  const compared = Object.entries(ratios).map(([name, ratio]) => [
    ...[name, brief(ratio.median), spreadText(ratio)],
  ]);
  const { inFlight, connections } = load;
  return [
    `Processes that share a port and a file: ${inFlight} calls in flight on ${connections} connections`,
    "The load generator takes a core as well: with two cores there is none left for the second",
    "",
    table(["", "calls/s", "spread", "p50 ms", "p99 ms"], cells),
    "",
    table(["", "ratio", "spread"], compared),
  ].join("\n");
}

const nameOf = (count: number) => `AddAPIApp grpc, IAM_PROCESSES=${count}`;

function ratiosOf(samples: Samples): { readonly [name: string]: Spread } {
  const ratesOf = (count: number) =>
    (samples.get(keyOf({ name: nameOf(count), ...load })) ?? []).map(({ rate }) => rate);
  const one = ratesOf(1);
  const others = counts.filter((count) => count > 1);
  return Object.fromEntries(
    others.map((count) => [
      `${nameOf(count)} / 1`,
      spreadOf(ratesOf(count).map((rate, index) => rate / (one[index] ?? Number.NaN))),
    ]),
  );
}

interface Service {
  readonly count: number;
  readonly target: Target;
  stop(): Promise<void>;
}

/** Starts the service as users do, and waits until it listens. */
async function startService(directory: string, count: number): Promise<Service> {
  const main = resolve(import.meta.dirname, "../src/main.js");
  const dataDir = join(directory, `processes-${count}`);
  const service = spawn(
    process.execPath,
    [main, "serve", "--port=0", `--data-dir=${dataDir}`, `--processes=${count}`],
    // Settings of whoever runs the bench are not the service's defaults.
    { env: {}, stdio: ["ignore", "pipe", "ignore"] },
  );
  const gone = once(service, "exit");
  let said = "";
  const listening = new Promise<void>((done) => {
    service.stdout.on("data", (chunk) => {
      said += chunk;
      if (said.includes("listening on")) done();
    });
  });
  await Promise.race([listening, gone]);
  const [, project] = /\/projects\/([\w-]+)\/apps/.exec(said) ?? [];
  const [, port] = /listening on http:\/\/[^:]+:(\d+)/.exec(said) ?? [];
  if (project === undefined || port === undefined) throw new Error("the service did not start");
  const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
  return {
    count,
    target: { port: Number(port), token, project },
    stop: async () => {
      service.kill("SIGTERM");
      await gone;
    },
  };
}
