/** Lets a bounded number of pieces of work run at once, and a bounded number wait, in order. */
export interface Slots {
  /**
   * Answers as the work does. Rejects with what `overloaded` makes when no more may wait, and with
   * the signal's reason when that aborts before the work has begun, which then does not begin. For
   * some work fewer may wait than for all other.
   */
  run<Result>(
    work: () => Promise<Result>,
    signal?: AbortSignal,
    waitingMax?: number,
  ): Promise<Result>;
}

interface SlotOptions {
  readonly concurrentMax: number;
  readonly waitingMax: number;
  /** The error of who comes when no more may wait. */
  overloaded(): Error;
}

export function createSlots({ concurrentMax, waitingMax, overloaded }: SlotOptions): Slots {
  let running = 0;
  /** What lets each of those begin who wait, in the order they came. */
  const waiting = new Set<() => void>();

  function turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.delete(begin);
        reject(signal?.reason);
      };
      const begin = () => {
        waiting.delete(begin);
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      waiting.add(begin);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  return {
    async run(work, signal, most = waitingMax) {
      signal?.throwIfAborted();
      if (running < concurrentMax) {
        running += 1;
      } else {
        if (waiting.size >= most) throw overloaded();
        await turn(signal);
      }
      try {
        return await work();
      } finally {
        // Who waited longest takes over the place; nobody who comes now can be faster.
        const [next] = waiting;
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}

/** Slots for each key, such as an organization, so that one cannot take what others need. */
export interface Shares {
  /** As `Slots.run`, with the slots of the key. */
  run<Result>(key: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
}

export function createShares(options: SlotOptions): Shares {
  const shares = new Map<string, { readonly slots: Slots; users: number }>();
  return {
    async run(key, work, signal) {
      const share = shares.get(key) ?? { slots: createSlots(options), users: 0 };
      shares.set(key, share);
      share.users += 1;
      try {
        return await share.slots.run(work, signal);
      } finally {
        share.users -= 1;
        if (share.users === 0) shares.delete(key);
      }
    },
  };
}
