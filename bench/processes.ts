import { join } from "node:path";
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
import { serviceRequest } from "./requests.ts";
import { type Figures, type Spread, spreadOf } from "./results.ts";
import { type Service, startService } from "./service.ts";
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
  const services: (readonly [count: number, service: Service])[] = [];
  try {
    for (const count of counts) {
      const dataDir = join(directory, `processes-${count}`);
      services.push([count, await startService(dataDir, [`--processes=${count}`])]);
    }
    const cases = services.map(([count, { target }]): Case => {
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
    await Promise.all(services.map(([, { stop }]) => stop()));
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
