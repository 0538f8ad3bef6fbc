import { expect, test } from "@jest/globals";
import { createRegistry, type Family } from "../../src/metrics/registry.ts";
import { sumOf } from "../../src/metrics/sum.ts";
import { textOf } from "../../src/metrics/text.ts";
import { createProcessMetrics, sumMetrics } from "../../src/start/process-metrics.ts";

const usual = { help: "Things", labels: [], seriesMax: 1, bounds: [], of: "sum" } as const;

/** What one process tells. */
function process(counts: { readonly [kind: string]: number }, [sum, max, min]: readonly number[]) {
  const families = {
    counts: { ...usual, name: "counts_total", type: "counter", labels: ["kind"], seriesMax: 3 },
    sum: { ...usual, name: "sum", type: "gauge" },
    max: { ...usual, name: "max", type: "gauge", of: "max" },
    min: { ...usual, name: "min", type: "gauge", of: "min" },
  } satisfies { [key: string]: Family };
  const meters = createRegistry(families);
  for (const [kind, count] of Object.entries(counts)) {
    meters.counts.add(meters.counts.series(kind), count);
  }
  meters.sum.set(meters.sum.series(), sum);
  meters.max.set(meters.max.series(), max);
  meters.min.set(meters.min.series(), min);
  // As one process tells another.
  return JSON.parse(JSON.stringify(Object.values(meters).map((meter) => meter.read())));
}

const linesOf = (readings: Parameters<typeof textOf>[0]) =>
  textOf(readings)
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

const one = process({ a: 1, b: 2 }, [1, 5, 1]);
const another = process({ b: 3, c: 4 }, [2, 4, 0]);

test("several processes are summed, or the worst is told, within the same bounds", () => {
  expect(linesOf(sumOf([one, another]))).toEqual([
    ...['counts_total{kind="a"} 1', 'counts_total{kind="b"} 5', 'counts_total{kind="other"} 4'],
    ...["sum 3", "max 5", "min 0"],
  ]);
  expect(sumOf([])).toEqual([]);
});

test("what a process has counted that has ended stays counted", async () => {
  const metrics = sumMetrics();
  const [first, second] = [one, another].map((told) => {
    const asked = createProcessMetrics(() => asked.take(told));
    metrics.add(asked);
    return asked;
  });
  await metrics.read();
  metrics.remove(first!);
  expect(linesOf(await metrics.read())).toEqual([
    ...['counts_total{kind="a"} 1', 'counts_total{kind="b"} 5', 'counts_total{kind="other"} 4'],
    ...["sum 2", "max 4", "min 0"],
  ]);
  metrics.remove(second!);
  expect(linesOf(await metrics.read())).toHaveLength(3);
});

test("of a process that takes longer than answerMs, what it told last is told", async () => {
  const asked = createProcessMetrics(() => {}, 1);
  expect(await asked.read()).toEqual([]);
  asked.take(one);
  expect(await asked.read()).toBe(one);
});
