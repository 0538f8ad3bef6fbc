/** Lets a bounded number of pieces of work run at once, and a bounded number wait, in order. */
export interface Slots {
  /**
   * Answers as the work does. Rejects with what `overloaded` makes when no more may wait, and with
   * the signal's reason when that aborts before the work has begun, which then does not begin.
   */
  run<Result>(work: () => Promise<Result>, signal?: AbortSignal, ranked?: Ranked): Promise<Result>;
  /** How many wait. */
  waiting(): number;
}

/**
 * Work with a rank takes places in the line as all other does, but of those of its kind the lowest
 * rank has the first, and of one rank who came first.
 */
export interface Ranked {
  readonly kind: string;
  readonly rank: number;
  /**
   * How many of the kind may wait. Where more do, the last of them leaves, with what `overloaded`
   * makes. So many have their places: of a line that is full otherwise, the last of all others
   * leaves. Where this is left out, it is the last of the kind.
   */
  readonly waitingMax?: number;
}

interface SlotOptions {
  readonly concurrentMax: number;
  readonly waitingMax: number;
  /** The error of a caller when no more may wait. */
  overloaded(): Error;
}

/** Who waits for a slot. */
interface Waiter {
  readonly ranked: Ranked | undefined;
  readonly begin: () => void;
  readonly leave: (why: unknown) => void;
}

export function createSlots({ concurrentMax, waitingMax, overloaded }: SlotOptions): Slots {
  let running = 0;
  /** Those who wait, the next one first. */
  const line: Waiter[] = [];

  function remove(waiter: Waiter): void {
    const at = line.indexOf(waiter);
    if (at >= 0) line.splice(at, 1);
  }

  function turn(signal?: AbortSignal, ranked?: Ranked): Promise<void> {
    return new Promise((resolve, reject) => {
      const gone = () => waiter.leave(signal?.reason);
      const waiter: Waiter = {
        ranked,
        begin() {
          remove(waiter);
          signal?.removeEventListener("abort", gone);
          resolve();
        },
        leave(why) {
          remove(waiter);
          signal?.removeEventListener("abort", gone);
          reject(why);
        },
      };
      signal?.addEventListener("abort", gone, { once: true });
      join(line, waiter);
      lastOf(line, waiter, waitingMax)?.leave(overloaded());
    });
  }

  return {
    waiting: () => line.length,
    async run(work, signal, ranked) {
      signal?.throwIfAborted();
      if (running < concurrentMax) {
        running += 1;
      } else {
        await turn(signal, ranked);
      }
      try {
        return await work();
      } finally {
        // The next one takes over the place; a newcomer cannot be faster.
        const [next] = line;
        if (next === undefined) running -= 1;
        else next.begin();
      }
    },
  };
}

/** Takes the place of the first of its kind with a higher rank, who takes the next, and so on. */
function join(line: Waiter[], waiter: Waiter): void {
  let moving = waiter;
  for (const [at, one] of line.entries()) {
    if (!isAhead(waiter, one)) continue;
    line[at] = moving;
    moving = one;
  }
  line.push(moving);
}

function isAhead({ ranked }: Waiter, { ranked: other }: Waiter): boolean {
  return ranked !== undefined && other?.kind === ranked.kind && other.rank > ranked.rank;
}

/** Who leaves the line where somebody has joined it, if anybody does. */
function lastOf(line: readonly Waiter[], { ranked }: Waiter, waitingMax: number) {
  const isOfKind = (one: Waiter) => one.ranked?.kind === ranked?.kind;
  const hasPlaces = ranked?.waitingMax !== undefined;
  if (hasPlaces && line.filter(isOfKind).length > ranked.waitingMax) return line.findLast(isOfKind);
  if (line.length <= waitingMax) return undefined;
  return line.findLast((one) => isOfKind(one) !== hasPlaces);
}

/** Slots for each key, like an organization, so that one cannot take what others need. */
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
