import { type MetricLimits, metricLimits } from "./limits.ts";
import { other } from "./registry.ts";

/**
 * Finds the busiest of many names, of which a bounded number may be told. Answers the name that is
 * told for one that is counted: its own, or `other`. A name that has become busier than one that is
 * told takes its place, and `leave` hears of that one. Of too many that are not told, the newest
 * takes over the count of the least busy, so it may seem busier than it is.
 */
export function createBusiest(
  leave: (name: string) => void,
  { applications: toldMax, watchedApplications: watchedMax }: MetricLimits = metricLimits,
): (name: string) => string {
  const told = new Map<string, number>();
  const watched = new Map<string, number>();
  return (name) => {
    const known = told.get(name);
    if (known !== undefined || told.size < toldMax) {
      told.set(name, (known ?? 0) + 1);
      return name;
    }
    const count = (watched.get(name) ?? takeOver(watched, watchedMax)) + 1;
    const [least, leastCount] = leastOf(told);
    if (count <= leastCount) {
      watched.set(name, count);
      return other;
    }
    watched.delete(name);
    watched.set(least, leastCount);
    told.delete(least);
    told.set(name, count);
    leave(least);
    return name;
  };
}

function leastOf(counts: ReadonlyMap<string, number>): readonly [name: string, count: number] {
  return [...counts].reduce((least, one) => (one[1] < least[1] ? one : least));
}

/** Makes room for one more; answers the count that it begins with. */
function takeOver(counts: Map<string, number>, max: number): number {
  if (counts.size < max) return 0;
  const [name, count] = leastOf(counts);
  counts.delete(name);
  return count;
}
