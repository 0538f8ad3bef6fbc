import type { Random } from "../gateway/native/random.ts";

/** Time that somebody makes up: nothing in it takes any. */
export interface Time {
  /** Milliseconds since the beginning. */
  nowMs(): number;
  /** Calls back once after so many milliseconds; what it answers calls that off. */
  after(ms: number, callback: () => void): () => void;
  /** Goes on to a moment, or until nothing is due any more. */
  runUntil(untilMs: number): Promise<void>;
}

interface Due {
  readonly atMs: number;
  /** What comes first of all that is due at the same moment is left to chance. */
  readonly turn: number;
  readonly callback: () => void;
  isOff: boolean;
}

export function createTime(random: Random): Time {
  let nowMs = 0;
  /** A binary heap. */
  const heap: Due[] = [];
  const isBefore = (one: Due, other: Due) =>
    one.atMs === other.atMs ? one.turn < other.turn : one.atMs < other.atMs;

  function push(due: Due): void {
    let at = heap.push(due) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(due, heap[above]!)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = due;
  }

  function pop(): Due | undefined {
    const [first] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below += 1;
      if (!isBefore(heap[below]!, last)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
    return first;
  }

  return {
    nowMs: () => nowMs,
    after(ms, callback) {
      const due = { atMs: nowMs + Math.max(0, ms), turn: random.below(2 ** 30), callback };
      const entry: Due = { ...due, isOff: false };
      push(entry);
      return () => {
        entry.isOff = true;
      };
    },
    async runUntil(untilMs) {
      while ((heap[0]?.atMs ?? Number.POSITIVE_INFINITY) <= untilMs) {
        const due = pop()!;
        if (due.isOff) continue;
        nowMs = due.atMs;
        due.callback();
        await settled();
      }
      nowMs = Math.max(nowMs, untilMs);
    },
  };
}

/** Resolves when all that is ready to go on has done so: what waits then, waits for time. */
export function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
