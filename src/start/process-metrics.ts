import { metricLimits } from "../metrics/limits.ts";
import type { Reading } from "../metrics/registry.ts";
import { countsOf, sumOf } from "../metrics/sum.ts";

/** Asks one process for its metrics. */
export interface ProcessMetrics {
  /** Takes up what it tells. */
  take(metrics: readonly Reading[]): void;
  /** What it tells now; what it told last, where it takes too long. */
  read(): Promise<readonly Reading[]>;
  /** What it told last. */
  last(): readonly Reading[];
}

/** Makes it of the function that asks; the process answers by `take`. */
export function createProcessMetrics(
  ask: () => void,
  answerMs: number = metricLimits.answerMs,
): ProcessMetrics {
  let last: readonly Reading[] = [];
  let waiting: PromiseWithResolvers<void> | undefined;
  return {
    take: (metrics) => {
      last = metrics;
      waiting?.resolve();
    },
    read: async () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting = { promise, resolve, reject };
      const late = setTimeout(resolve, answerMs);
      ask();
      await promise;
      clearTimeout(late);
      return last;
    },
    last: () => last,
  };
}

/** The metrics of all processes as those of one service. */
export interface SummedMetrics {
  add(process: ProcessMetrics): void;
  /** Keeps what a process that has ended had counted, so that no sum falls. */
  remove(process: ProcessMetrics): void;
  read(): Promise<readonly Reading[]>;
}

export function sumMetrics(): SummedMetrics {
  const processes = new Set<ProcessMetrics>();
  let gone: readonly Reading[] = [];
  return {
    add: (process) => void processes.add(process),
    remove: (process) => {
      processes.delete(process);
      gone = sumOf([gone, countsOf(process.last())]);
    },
    read: async () => {
      const now = await Promise.all([...processes].map((one) => one.read()));
      return sumOf([gone, ...now]);
    },
  };
}
