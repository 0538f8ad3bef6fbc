import type { Quota } from "../event.ts";

/** What is kept of a quota that was used. */
export interface Usage {
  /** When it was used last, in Unix milliseconds. */
  readonly usedMs: number;
  /** What was used of it by then and is not there again: `perMs` for each. A whole number. */
  readonly debt: number;
  /** When it was last said that nothing is left; 0 where it never was. */
  readonly toldMs: number;
}

/** A quota after one more use. */
export interface Used {
  readonly usage: Usage;
  /** When there is room for this one: at once, or as soon as enough is there again. */
  readonly roomMs: number;
  /** Whether nothing is left now, and that was not said in the last `perMs`. */
  readonly isNews: boolean;
}

/**
 * Uses one of a quota: a leaky bucket, counted in whole numbers, so that `most` are exactly that.
 * A clock that was set forward is taken at its word; see `isAhead` for one that was set back.
 */
export function useQuota(quota: Quota, before: Usage | undefined, nowMs: number): Used {
  const { most, perMs } = quota;
  const { usedMs, debt: left, toldMs } = usageAt(quota, before, nowMs);
  const debt = left + perMs;
  const excess = debt - perMs * most;
  const isTold = toldMs > 0 && Math.abs(nowMs - toldMs) < perMs;
  const isNews = excess + perMs > 0 && !isTold;
  return {
    usage: { usedMs, debt, toldMs: isNews ? nowMs : toldMs },
    roomMs: excess <= 0 ? nowMs : usedMs + Math.ceil(excess / most),
    isNews,
  };
}

/**
 * Whether a quota was used at a time from which the clock has been set back by more than `perMs`.
 * Nobody is to wait until it has caught up: all of the quota then counts as used now, which a store
 * has to keep, even where it refuses for that. While a clock is behind by less, nothing comes back.
 * So neither way is there more than without.
 */
export function isAhead({ perMs }: Quota, { usedMs }: Usage, nowMs: number): boolean {
  return usedMs - nowMs > perMs;
}

/** The usage as it stands at a time. */
export function usageAt(
  quota: Quota,
  { usedMs, debt, toldMs }: Usage = { usedMs: 0, debt: 0, toldMs: 0 },
  nowMs: number,
): Usage {
  const { most, perMs } = quota;
  if (isAhead(quota, { usedMs, debt, toldMs }, nowMs)) {
    return { usedMs: nowMs, debt: Math.max(debt, perMs * most), toldMs };
  }
  const fromMs = Math.max(usedMs, nowMs);
  return { usedMs: fromMs, debt: Math.max(0, debt - (fromMs - usedMs) * most), toldMs };
}

/** When nothing of a quota counts as used any more, unless it is used again. */
export function clearMs({ most }: Quota, { usedMs, debt }: Usage): number {
  return usedMs + Math.ceil(debt / most);
}
