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

  function turn(signal?: AbortSignal, ranked?: Ranked): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = createWaiter(line, { resolve, reject }, signal, ranked);
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

/** Somebody who is in the line until it begins, leaves, or its signal aborts. */
function createWaiter(
  line: Waiter[],
  { resolve, reject }: Pick<PromiseWithResolvers<void>, "resolve" | "reject">,
  signal?: AbortSignal,
  ranked?: Ranked,
): Waiter {
  const end = () => {
    const at = line.indexOf(waiter);
    if (at >= 0) line.splice(at, 1);
    signal?.removeEventListener("abort", gone);
  };
  const gone = () => waiter.leave(signal?.reason);
  const waiter: Waiter = {
    ranked,
    begin() {
      end();
      resolve();
    },
    leave(why) {
      end();
      reject(why);
    },
  };
  signal?.addEventListener("abort", gone, { once: true });
  return waiter;
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

/** Slots that several share, none of whom can take all of them. */
export interface FairSlots {
  /**
   * As `Slots.run`, for one of those who share the slots; undefined stands for what is done for all
   * of them, and has a slot where the others have taken theirs.
   */
  run<Result>(
    key: string | undefined,
    work: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result>;
}

interface FairOptions extends SlotOptions {
  /** How many slots one may have. */
  readonly ofOneMax: number;
}

/** Who has slots or waits for one. */
interface Party {
  running: number;
  /** The number of its last slot; 0 before its first one. */
  latest: number;
  readonly line: Waiter[];
}

/**
 * Makes slots that are shared out: of those who wait, the one is next who had none for the longest
 * time. Where more wait than may, the last leaves of the one who has most of them, with what
 * `overloaded` makes. Of several slots, one is for what is done for all.
 */
export function createFairSlots(options: FairOptions): FairSlots {
  const { concurrentMax, ofOneMax, waitingMax, overloaded } = options;
  const keyedMax = Math.max(1, concurrentMax - 1);
  const parties = new Map<string | undefined, Party>();
  let running = 0;
  let given = 0;

  function mayBegin(key: string | undefined): boolean {
    if (running >= concurrentMax) return false;
    if (key === undefined) return true;
    const ofAll = parties.get(undefined)?.running ?? 0;
    return running - ofAll < keyedMax && (parties.get(key)?.running ?? 0) < ofOneMax;
  }

  function begin(party: Party): void {
    running += 1;
    party.running += 1;
    given += 1;
    party.latest = given;
  }

  function forget(key: string | undefined, party: Party): void {
    if (party.running === 0 && party.line.length === 0) parties.delete(key);
  }

  function end(key: string | undefined, party: Party): void {
    running -= 1;
    party.running -= 1;
    const waiting = [...parties].filter(([one, { line }]) => {
      return line.length > 0 && mayBegin(one);
    });
    const [next] = waiting.map(([, one]) => one).toSorted((a, b) => a.latest - b.latest);
    // It has the slot from now on: a newcomer cannot be faster.
    if (next !== undefined) {
      begin(next);
      next.line[0]?.begin();
    }
    forget(key, party);
  }

  function turn(key: string | undefined, party: Party, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, gone) => {
      const reject = (why: unknown) => {
        forget(key, party);
        gone(why);
      };
      party.line.push(createWaiter(party.line, { resolve, reject }, signal));
      const lines = [...parties.values()].map(({ line }) => line);
      if (lines.reduce((sum, { length }) => sum + length, 0) <= waitingMax) return;
      const longest = lines.toSorted((a, b) => b.length - a.length)[0];
      longest?.at(-1)?.leave(overloaded());
    });
  }

  return {
    async run(key, work, signal) {
      signal?.throwIfAborted();
      const party = parties.get(key) ?? { running: 0, latest: 0, line: [] };
      parties.set(key, party);
      if (party.line.length === 0 && mayBegin(key)) {
        begin(party);
      } else {
        await turn(key, party, signal);
      }
      try {
        return await work();
      } finally {
        end(key, party);
      }
    },
  };
}
