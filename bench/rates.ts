import type { AppendsAnswers } from "./appends.ts";
import type { BareAnswers } from "./bare.ts";
import type { Child } from "./child.ts";
import type { LoadAnswers, Measured, Run } from "./load.ts";
import { echoRequest, type Operation, serviceRequest, type Target } from "./requests.ts";
import { type Row, type Spread, spreadOf } from "./results.ts";
import type { ServerAnswers } from "./server.ts";
import type { Pace } from "./sizes.ts";
import { echoPath, messagesPath, type Protocol } from "./template.ts";

/** The processes that take part. */
export interface Processes {
  readonly server: Child<ServerAnswers>;
  readonly load: Child<LoadAnswers>;
  readonly bare: Child<BareAnswers>;
  readonly appends: Child<AppendsAnswers>;
}

export const protocols: readonly Protocol[] = ["connect", "rest", "grpc", "grpc-web"];
export const operations: readonly Operation[] = ["noop", "AddAPIApp", "AddOIDCApp"];
export const inFlights: readonly number[] = [1, 64];

/** Calls that one measurement counts at most. */
export const callsMax = 500_000;

/** What each protocol's calls are compared with: a library's server that does nothing else. */
export const echoOf: { readonly [protocol in Protocol]: string } = {
  connect: "echo Fastify JSON",
  rest: "echo Fastify JSON",
  grpc: "echo grpc-js messages",
  "grpc-web": "echo Fastify JSON",
};

/** The server by hand on the same HTTP version, which shows how much the generator can make. */
export const capacityOf: { readonly [protocol in Protocol]: string } = {
  connect: "echo node:http by hand",
  rest: "echo node:http by hand",
  grpc: "echo node:http2 by hand",
  "grpc-web": "echo node:http by hand",
};

export function appendsName(inFlight: number): string {
  return `bare appends, ${inFlight} per commit`;
}

/** What one measurement of a case found; `Row` says what the numbers are. */
export interface Sample {
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly loadCpu?: number;
  readonly serverCpu?: number;
  readonly cpuMicros?: number;
}

/** Something to measure, as often as there are repetitions. */
export interface Case {
  readonly name: string;
  readonly inFlight: number;
  measure(pace: Pace): Promise<Sample>;
}

/** Progress, which is not part of the result. */
export type Say = (text: string) => void;

/** What was measured, and ratios of it that were taken within each repetition. */
export interface Rates {
  readonly rows: readonly Row[];
  readonly ratios: { readonly [name: string]: Spread };
}

/** Measures what calls cost, and what they are compared with. */
export async function measureRates(processes: Processes, pace: Pace, say: Say): Promise<Rates> {
  const cases = await casesOf(processes);
  const samples = await measureCases(cases, pace, say);
  return { rows: rowsOf(cases, samples), ratios: ratiosOf(samples) };
}

/** The samples of each case by its key, one of each repetition, in their order. */
export type Samples = ReadonlyMap<string, readonly Sample[]>;

/**
 * Measures everything once per repetition, so that whatever drifts meets all alike, and forwards
 * and backwards in turn, so that it favours none. A first round is thrown away.
 */
export async function measureCases(cases: readonly Case[], pace: Pace, say: Say): Promise<Samples> {
  say("warming up");
  for (const one of cases) await one.measure({ ...pace, measureMs: pace.measureMs / 5 });

  const samples = new Map(cases.map((one) => [keyOf(one), [] as Sample[]]));
  for (let repetition = 0; repetition < pace.repetitions; repetition += 1) {
    say(`repetition ${repetition + 1} of ${pace.repetitions}`);
    for (const one of repetition % 2 === 0 ? cases : cases.toReversed()) {
      samples.get(keyOf(one))?.push(await one.measure(pace));
    }
  }
  return samples;
}

/** Each case's samples in brief. */
export function rowsOf(cases: readonly Case[], samples: Samples): readonly Row[] {
  return cases.map((one) => rowOf(one, samples.get(keyOf(one)) ?? []));
}

async function casesOf({ server, load, bare, appends }: Processes): Promise<readonly Case[]> {
  const target = await server.ask("target");
  const ports = await bare.ask("ports");
  const echo = (
    name: string,
    [port, protocol, path]: readonly [number, Protocol, string],
    inFlight: number,
  ): Case => ({
    name: `echo ${name}`,
    inFlight,
    measure: (pace): Promise<Measured> =>
      load.ask("run", {
        ...{ port, template: echoRequest(protocol, path), inFlight },
        ...{ ...pace, callsMax },
      }),
  });

  return inFlights.flatMap((inFlight) => [
    ...protocols.flatMap((protocol) =>
      operations.map((operation) =>
        serviceCase({ server, load, target }, { protocol, operation, inFlight }),
      ),
    ),
    echo("grpc-js bytes", [ports.grpcJs, "grpc", echoPath], inFlight),
    echo("grpc-js messages", [ports.grpcJs, "grpc", messagesPath], inFlight),
    echo("Fastify JSON", [ports.fastify, "connect", echoPath], inFlight),
    echo("node:http by hand", [ports.http1, "connect", echoPath], inFlight),
    echo("node:http2 by hand", [ports.http2, "grpc", echoPath], inFlight),
    {
      name: appendsName(inFlight),
      inFlight,
      measure: ({ measureMs }) => appends.ask("run", { perCommit: inFlight, forMs: measureMs }),
    },
  ]);
}

/** Calls of the service, with the CPU time that it takes for them. */
export function serviceCase(
  { server, load, target }: Pick<Processes, "server" | "load"> & { readonly target: Target },
  { protocol, operation, inFlight }: ServiceCalls,
): Case {
  return {
    name: `${operation} ${protocol}`,
    inFlight,
    measure: (pace) => {
      const template = serviceRequest(protocol, operation, target);
      const calls = { port: target.port, template, inFlight, ...pace, callsMax };
      return measureCalls({ server, load }, calls);
    },
  };
}

/** Calls of a server, with the CPU time that it takes for them. */
export async function measureCalls(
  { server, load }: { readonly server: CpuTold; readonly load: Child<LoadAnswers> },
  calls: Run,
): Promise<Sample> {
  const before = await server.ask("cpuMicros");
  const started = performance.now();
  const measured = await load.ask("run", calls);
  const used = (await server.ask("cpuMicros")) - before;
  const serverCpu = used / 1000 / (performance.now() - started);
  return { ...measured, serverCpu, cpuMicros: used / measured.callsInAll };
}

/** A server that says the CPU time of all its threads so far, in microseconds. */
export interface CpuTold {
  ask(question: "cpuMicros"): Promise<number>;
}

interface ServiceCalls {
  readonly protocol: Protocol;
  readonly operation: Operation;
  readonly inFlight: number;
}

/** By what a case's samples are found. */
export function keyOf({ name, inFlight }: Pick<Case, "name" | "inFlight">): string {
  return `${name} ${inFlight}`;
}

/** A number of one case by that of another, within each repetition. */
export function ratioOf(
  samples: Samples,
  [own, other]: readonly [Case, Case],
  of: (sample: Sample) => number,
): Spread {
  const others = (samples.get(keyOf(other)) ?? []).map(of);
  const owns = (samples.get(keyOf(own)) ?? []).map(of);
  return spreadOf(owns.map((value, index) => value / (others[index] ?? Number.NaN)));
}

function rowOf({ name, inFlight }: Case, samples: readonly Sample[]): Row {
  const spread = (of: (sample: Sample) => number | undefined) =>
    spreadOf(samples.flatMap((sample) => of(sample) ?? []));
  const has = (member: keyof Sample) => samples.some((sample) => sample[member] !== undefined);
  return {
    name,
    inFlight,
    rate: spread(({ rate }) => rate),
    p50Ms: spread(({ p50Ms }) => p50Ms),
    p99Ms: spread(({ p99Ms }) => p99Ms),
    ...(has("serverCpu") ? { serverCpu: spread(({ serverCpu }) => serverCpu) } : {}),
    ...(has("cpuMicros") ? { cpuMicros: spread(({ cpuMicros }) => cpuMicros) } : {}),
    ...(has("loadCpu") ? { loadCpu: spread(({ loadCpu }) => loadCpu) } : {}),
  };
}

/** Ratios of rates within each repetition, which the repetitions' drift cancels out of. */
function ratiosOf(samples: Samples) {
  const ratios: { [name: string]: Spread } = {};
  const ratesOf = (name: string, inFlight: number) =>
    (samples.get(keyOf({ name, inFlight })) ?? []).map(({ rate }) => rate);
  for (const inFlight of inFlights) {
    for (const protocol of protocols) {
      const others = {
        noop: ratesOf(`noop ${protocol}`, inFlight),
        echo: ratesOf(echoOf[protocol], inFlight),
        appends: ratesOf(appendsName(inFlight), inFlight),
      };
      for (const operation of operations) {
        const own = ratesOf(`${operation} ${protocol}`, inFlight);
        for (const [other, rates] of Object.entries(others)) {
          const name = `${operation} ${protocol} ${inFlight} / ${other}`;
          ratios[name] = spreadOf(own.map((rate, index) => rate / (rates[index] ?? Number.NaN)));
        }
      }
    }
  }
  return ratios;
}
