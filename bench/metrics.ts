import { join } from "node:path";
import { families } from "../src/metrics/families.ts";
import { createRegistry } from "../src/metrics/registry.ts";
import type { Child } from "./child.ts";
import type { LoadAnswers } from "./load.ts";
import {
  type Case,
  callsMax,
  measureCalls,
  measureCases,
  type Rates,
  ratioOf,
  rowsOf,
  type Say,
} from "./rates.ts";
import { rateTable } from "./report.ts";
import { serviceRequest } from "./requests.ts";
import { type Figures, type Spread, spreadOf } from "./results.ts";
import { type Service, startService } from "./service.ts";
import type { Pace } from "./sizes.ts";
import { brief, spreadText, table } from "./table.ts";

/** What metrics cost, by their names in the results. */
export const metricsRatios = {
  record: "ns of one record",
  records: "records of one call",
  cpu: "CPU time of a call with metrics / without",
} as const;

const inFlight = 64;
/** The difference is small, so each case is measured more often than those of other parts. */
const roundsFactor = 4;
/** Milliseconds of one at least: CPU time is told in hundredths of a second. */
const measureMsMin = 100;
/** Records of one round, and rounds: the first ones are compiled meanwhile. */
const loop = { records: 1_000_000, rounds: 10 } as const;

/** What a record costs, how many a call has, and what calls cost with metrics and without. */
export async function measureMetrics(
  directory: string,
  load: Child<LoadAnswers>,
  pace: Pace,
  say: Say,
): Promise<Rates> {
  const services: Service[] = [];
  const caseOf = async (name: string, flags: readonly string[]): Promise<Case> => {
    const service = await startService(join(directory, `metrics-${services.length}`), flags);
    services.push(service);
    const { target, cpuMicros } = service;
    const template = serviceRequest("grpc", "AddAPIApp", target);
    const calls = { port: target.port, template, inFlight, callsMax };
    const server = { ask: cpuMicros };
    return {
      name: `AddAPIApp grpc, ${name}`,
      inFlight,
      measure: (each) => measureCalls({ server, load }, { ...calls, ...each }),
    };
  };
  try {
    const without = await caseOf("without metrics", []);
    const measured = await caseOf("with metrics", ["--metrics-port=0"]);
    const measureMs = Math.max(pace.measureMs, measureMsMin);
    const rounds = { ...pace, measureMs, repetitions: pace.repetitions * roundsFactor };
    const samples = await measureCases([without, measured], rounds, say);
    const cpu = ratioOf(samples, [measured, without], (one) => one.cpuMicros ?? Number.NaN);
    const { record, records, cpu: cpuName } = metricsRatios;
    const ratios = {
      [record]: spreadOf(measureRecords()),
      [records]: await recordsOf(services[1]),
      [cpuName]: cpu,
    };
    return { rows: rowsOf([without, measured], samples), ratios };
  } finally {
    await Promise.all(services.map(({ stop }) => stop()));
  }
}

/** Nanoseconds of one record in each round: a histogram of 40 methods by three protocols. */
function measureRecords(): readonly number[] {
  const { calls } = createRegistry(families);
  const methods = Array.from({ length: 40 }, (_, at) => `iam.v1.Service/Method${at}`);
  const series = ["grpc", "json", "connectrpc"].flatMap((system) =>
    methods.map((method) => calls.series(system, method)),
  );
  const rounds = Array.from({ length: loop.rounds + 2 }, () => {
    const startedMs = performance.now();
    for (let at = 0; at < loop.records; at += 1) {
      calls.observe(series[at % series.length] ?? 0, (at % 50) / 1_000);
    }
    return ((performance.now() - startedMs) * 1e6) / loop.records;
  });
  return rounds.slice(2);
}

/** How many records there were for each call of a service. */
async function recordsOf(service: Service | undefined): Promise<Spread> {
  const text = await (await fetch(service?.metricsUrl() ?? "")).text();
  const counts = [...text.matchAll(/^(?:iam|rpc|http)_\w*(?:_count|_total)(?:\{.*\})? (\d+)$/gm)];
  const records = counts.reduce((sum, [, count]) => sum + Number(count), 0);
  const [, calls] =
    /^rpc_server_call_duration_seconds_count\{.*AddAPIApp"\} (\d+)$/m.exec(text) ?? [];
  return spreadOf([records / Number(calls)]);
}

/** The figures for people. */
export function showMetrics({ rows = [], ratios = {} }: Figures): string {
  const cells = Object.entries(ratios).map(([name, ratio]) => [
    ...[name, brief(ratio.median), spreadText(ratio)],
  ]);
  return [rateTable(rows), table(["metrics", "", "spread"], cells)].join("\n\n");
}
