/** How many of a process wait for their answers at a time, and for how long they are counted. */
export interface Waiting {
  readonly inFlight: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
}

/** What was answered once it counted: milliseconds of each, and of all of them together. */
export interface Waited {
  readonly latencies: readonly number[];
  readonly elapsedMs: number;
}

/** Does the work again and again, so many times at once; those of the warm-up do not count. */
export async function keepInFlight(
  { inFlight, warmUpMs, measureMs }: Waiting,
  work: () => Promise<unknown>,
): Promise<Waited> {
  const latencies: number[] = [];
  const beginMs = performance.now() + warmUpMs;
  const endMs = beginMs + measureMs;
  const repeat = async () => {
    for (let fromMs = performance.now(); fromMs < endMs; ) {
      await work();
      const nowMs = performance.now();
      if (nowMs >= beginMs) latencies.push(nowMs - fromMs);
      fromMs = nowMs;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, repeat));
  return { latencies, elapsedMs: performance.now() - beginMs };
}
