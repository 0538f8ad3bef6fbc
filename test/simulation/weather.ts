import type { Random } from "../gateway/native/random.ts";

/** What befalls a simulated installation, and how large it is. Times are in milliseconds. */
export interface Weather {
  readonly nodes: number;
  readonly clients: number;
  /** Tasks that each client has done. */
  readonly tasks: number;
  /** Of so many things of a kind that were made last one is chosen to do something to. */
  readonly latest: number;
  readonly readers: number;
  /** The longest that a client thinks between two tasks. */
  readonly thinkMaxMs: number;
  /** The longest that a request or an answer is usually on its way. */
  readonly delayMaxMs: number;
  /** Of so many requests one is slow; 0 for none, as below. */
  readonly slowOnceIn: number;
  /** Of so many requests one is lost, or its answer is, or it arrives when nobody waits. */
  readonly lostOnceIn: number;
  /** Of so many sends one is missed. */
  readonly missedOnceIn: number;
  /** Nodes that die, and times that another server takes over, while there is work. */
  readonly crashes: number;
  readonly failovers: number;
  /** Clocks that are set, each by one of `jumpsMs`. */
  readonly jumps: number;
  /** By how much clocks differ from the beginning. */
  readonly skewMaxMs: number;
  /** UTF-8 bytes of states that nodes remember, and events of the log's end that they hold. */
  readonly keptBytes: number;
  readonly heldEvents: number;
}

/** By how much clocks are set: together by less than a day, for which answers are remembered. */
export const jumpsMs = [-2 * 3_600_000, -20_000, 20_000, 2 * 3_600_000, 6 * 3_600_000] as const;

/** How a message is delivered; what takes longer in service takes as many seconds here. */
export const workerTimes = {
  leaseMs: 5_000,
  pollMs: 1_000,
  backoffMinMs: 200,
  backoffMaxMs: 2_000,
  concurrentMax: 3,
} as const;

/** One quarter of all weathers is calm: then each message is delivered once. */
export function weatherOf(random: Random): Weather {
  const isCalm = random.once(4);
  const at = (onceIn: number) => (isCalm || random.once(2) ? 0 : onceIn);
  return {
    nodes: 1 + random.below(4),
    clients: 2 + random.below(4),
    tasks: 4 + random.below(8),
    latest: random.pick([1, 2, 4]),
    readers: 1 + random.below(3),
    thinkMaxMs: random.pick([20, 200, 200, 8_000]),
    delayMaxMs: random.pick([2, 20, 60]),
    slowOnceIn: random.pick([0, 10]),
    lostOnceIn: at(random.pick([6, 20, 60])),
    missedOnceIn: random.pick([0, 4]),
    crashes: at(1 + random.below(4)),
    failovers: at(1 + random.below(2)),
    jumps: at(1 + random.below(3)),
    skewMaxMs: random.pick([0, 200]),
    keptBytes: random.pick([0, 400, 1 << 20]),
    heldEvents: random.pick([4, 1_000]),
  };
}

/** Whether nothing was lost, nobody died and no clock was set. */
export function isCalm({ lostOnceIn, crashes, failovers, jumps }: Weather): boolean {
  return lostOnceIn + crashes + failovers + jumps === 0;
}
