import type { Machine } from "./machine.ts";
import type { SizeName } from "./sizes.ts";

/** What a run of the bench leaves behind, as it is written to a file and compared. */
export interface Results {
  readonly machine: Machine;
  readonly size: SizeName;
  readonly rows: readonly Row[];
  /** Operation by what it is compared with, for example `AddAPIApp grpc 64 / noop`. */
  readonly ratios: { readonly [name: string]: Spread };
  /** From spawning the process until it says that it listens, or what is said instead. */
  readonly startMs: { readonly [what: string]: Spread };
  readonly resident: readonly Resident[];
  readonly grown: readonly Grown[];
}

/** What a part of the bench found. */
export type Figures = Partial<Omit<Results, "machine" | "size">>;

/** One thing that was measured: what, how, and with how many calls in flight. */
export interface Row {
  readonly name: string;
  readonly inFlight: number;
  readonly rate: Spread;
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  /** Shares of a core; absent where no such process takes part. */
  readonly serverCpu?: Spread;
  /**
   * Microseconds of CPU that the server takes for one call, on all its threads: unlike the rate,
   * it hardly depends on what else the machine does.
   */
  readonly cpuMicros?: Spread;
  readonly loadCpu?: Spread;
}

/** The resident memory of a server after each of two identical runs. */
export interface Resident {
  readonly how: string;
  readonly callsPerRun: number;
  readonly bytes: readonly [afterFirst: number, afterSecond: number];
}

/** A store of so many events, and what its service takes besides the time of calls. */
export interface Grown {
  readonly name: string;
  readonly events: number;
  readonly startMs: Spread;
  /** After the calls that all stores got, and a full collection. */
  readonly residentBytes: number;
}

/** A number of each repetition in brief. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor((sorted.length - 1) / 2);
  const [min = 0, max = 0] = [sorted[0], sorted.at(-1)];
  const [low = 0, high = 0] = [sorted[middle], sorted[sorted.length - 1 - middle]];
  return { median: (low + high) / 2, min, max };
}

/** Every number of the results by a name of its own, for comparing runs. */
export function namedNumbers(results: Results): ReadonlyMap<string, number> {
  const { rows, ratios, startMs, resident, grown = [] } = results;
  return new Map([
    ...rows.flatMap(({ name, inFlight, rate, p50Ms, p99Ms, cpuMicros }): [string, number][] => [
      [`${name} ${inFlight} rate/s`, rate.median],
      [`${name} ${inFlight} p50 ms`, p50Ms.median],
      [`${name} ${inFlight} p99 ms`, p99Ms.median],
      ...(cpuMicros ? [[`${name} ${inFlight} CPU µs`, cpuMicros.median] as [string, number]] : []),
    ]),
    ...named("ratio", ratios),
    ...named("start ms", startMs),
    ...resident.flatMap(({ how, bytes }): [string, number][] => [
      [`resident MiB ${how}, first run`, bytes[0] / 2 ** 20],
      [`resident MiB ${how}, second run`, bytes[1] / 2 ** 20],
    ]),
    ...grown.flatMap((store): [string, number][] => [
      [`start ms, ${store.name}`, store.startMs.median],
      [`resident MiB, ${store.name}`, store.residentBytes / 2 ** 20],
    ]),
  ]);
}

function named(what: string, spreads: { readonly [name: string]: Spread }): [string, number][] {
  return Object.entries(spreads).map(([name, { median }]) => [`${what} ${name}`, median]);
}
