import type { Reach } from "./reached.ts";

/** Files that the short form runs, and what they reach of all that files reach. */
export interface Choice {
  readonly files: readonly string[];
  /** Milliseconds of processors. */
  readonly cpuMs: number;
  /** From 0 to 1. */
  readonly share: number;
}

/**
 * Chooses files that take `budgetMs` together at most: first all that are needed, then again and
 * again the one that reaches most of what none has reached, for its time.
 */
export function choose(
  all: readonly Reach[],
  budgetMs: number,
  isNeeded: (one: Reach) => boolean,
): Choice {
  const reached = reachedBy(all);
  const total = new Set(all.flatMap(({ file }) => [...reached.get(file)!])).size;
  const seen = new Set<string>();
  const files: string[] = [];
  let cpuMs = 0;
  const take = ({ file, cpuMs: its }: Reach) => {
    for (const part of reached.get(file)!) seen.add(part);
    files.push(file);
    cpuMs += its;
  };
  const worth = ({ file, cpuMs: its }: Reach) =>
    [...reached.get(file)!].filter((part) => !seen.has(part)).length / its;
  for (const one of all) if (isNeeded(one)) take(one);
  const rated = all.filter((one) => !isNeeded(one)).map((one) => ({ one, worth: worth(one) }));
  for (;;) {
    const [best] = rated.sort((a, b) => b.worth - a.worth);
    if (best === undefined || best.worth === 0) break;
    // What it was worth before others were taken, it may be worth no more.
    const now = worth(best.one);
    if (now < best.worth) {
      best.worth = now;
      continue;
    }
    rated.shift();
    if (cpuMs + best.one.cpuMs <= budgetMs) take(best.one);
  }
  return { files: files.sort(), cpuMs, share: total === 0 ? 1 : seen.size / total };
}

/**
 * What each file reaches: functions, and ranges in them that some file reaches and another one
 * misses. A range counts as missed where it lies in a larger one that is.
 */
function reachedBy(all: readonly Reach[]): ReadonlyMap<string, ReadonlySet<string>> {
  const ranges = new Map<string, Map<string, readonly [number, number]>>();
  for (const { name, missed } of all.flatMap(({ functions }) => functions)) {
    const its = ranges.get(name) ?? new Map();
    ranges.set(name, its);
    for (const range of missed) its.set(range.join(), range);
  }
  return new Map(
    all.map(({ file, functions }) => {
      const parts = functions.flatMap(({ name, missed }) => {
        const isMissed = ([start, end]: readonly [number, number]) =>
          missed.some(([from, to]) => from <= start && end <= to);
        const its = [...ranges.get(name)!].filter(([, range]) => !isMissed(range));
        return [name, ...its.map(([key]) => `${name} ${key}`)];
      });
      return [file, new Set(parts)];
    }),
  );
}
