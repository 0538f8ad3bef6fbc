/** Too much waits to be hashed already: the caller should try again later. */
export class HashingOverloaded extends Error {
  override readonly name = "HashingOverloaded";

  constructor() {
    super("too many passwords wait to be hashed");
  }
}

/** Lets a bounded number of pieces of work run at once, and a bounded number wait, in order. */
export interface Queue {
  /** Answers as the work does. Rejects with HashingOverloaded when no more may wait. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

interface QueueLimits {
  readonly concurrency: number;
  readonly waitingMax: number;
}

export function createQueue({ concurrency, waitingMax }: QueueLimits): Queue {
  let running = 0;
  const waiting: (() => void)[] = [];

  return {
    async run(work) {
      if (running < concurrency) {
        running += 1;
      } else {
        if (waiting.length >= waitingMax) throw new HashingOverloaded();
        await new Promise<void>((start) => waiting.push(start));
      }
      try {
        return await work();
      } finally {
        // Who waited longest takes over the place; nobody who comes now can be faster.
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}
