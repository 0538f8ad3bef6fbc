import { other, type Reading, type Series } from "./registry.ts";

/** The metrics of several processes as those of one, within the same bounds. */
export function sumOf(processes: readonly (readonly Reading[])[]): readonly Reading[] {
  const byName = Map.groupBy(processes.flat(), ({ name }) => name);
  return [...byName.values()].flatMap((same) =>
    same.slice(0, 1).map((one) => sumFamily(one, same)),
  );
}

/** What is left of a process that has ended: what it counted stays counted. */
export function countsOf(readings: readonly Reading[]): readonly Reading[] {
  return readings.filter(({ type }) => type !== "gauge");
}

function sumFamily(family: Reading, same: readonly Reading[]): Reading {
  const { seriesMax, labels, of } = family;
  const rest = labels.map(() => other);
  const sums = new Map<string, Series>();
  for (const series of same.flatMap((one) => one.series)) {
    const isKnown = sums.has(keyOf(series.labels)) || labels.length === 0;
    const named = isKnown || sums.size < seriesMax - 1 ? series.labels : rest;
    const before = sums.get(keyOf(named));
    sums.set(
      keyOf(named),
      before === undefined ? { ...series, labels: named } : both(before, series, of),
    );
  }
  return { ...family, series: [...sums.values()] };
}

function both(one: Series, another: Series, of: Reading["of"]): Series {
  const values = one.values.map((value, at) => {
    const next = another.values[at] ?? 0;
    return of === "sum" ? value + next : Math[of](value, next);
  });
  return { ...one, values };
}

function keyOf(labels: readonly string[]): string {
  return labels.join("\0");
}
