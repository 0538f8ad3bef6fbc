import { expect, test } from "@jest/globals";
import { families } from "../../src/metrics/families.ts";
import { metricLimits } from "../../src/metrics/limits.ts";
import { createRegistry, type Family, widthOf } from "../../src/metrics/registry.ts";
import { textOf } from "../../src/metrics/text.ts";

const family = (given: Partial<Family> = {}): Family => ({
  ...{ name: "things", type: "counter", help: "Things", labels: ["kind"], seriesMax: 3 },
  ...{ bounds: [], of: "sum" },
  ...given,
});

/** One meter, and the lines of its text without what describes it. */
function meterOf(given: Partial<Family> = {}) {
  const { meter } = createRegistry({ meter: family(given) });
  const lines = () => textOf([meter.read()]).trimEnd().split("\n").slice(2);
  return { meter, lines };
}

test("the text is what Prometheus reads", () => {
  const { meter } = createRegistry({
    meter: family({ labels: ["kind", "of"], help: "Things by kind" }),
  });
  meter.add(meter.series('a "b"\\\n', "c"), 2.5);
  meter.add(meter.series('a "b"\\\n', "c"));
  expect(textOf([meter.read()])).toBe(
    "# HELP things Things by kind.\n# TYPE things counter\n" +
      'things{kind="a \\"b\\"\\\\\\n",of="c"} 3.5\n',
  );
});

test("a histogram counts each value for all buckets that it fits in", () => {
  const { meter, lines } = meterOf({
    type: "histogram",
    labels: [],
    seriesMax: 1,
    bounds: [1, 10],
  });
  for (const value of [0, 1, 1.5, 10, 11]) meter.observe(meter.series(), value);
  expect(lines()).toEqual([
    ...['things_bucket{le="1"} 2', 'things_bucket{le="10"} 4', 'things_bucket{le="+Inf"} 5'],
    ...["things_sum 23.5", "things_count 5"],
  ]);
});

test("a gauge is told for as long as somebody knows it", () => {
  const { meter, lines } = meterOf({ type: "gauge", labels: [], seriesMax: 1 });
  expect(lines()).toEqual([]);
  for (const [value, told] of [
    [7, ["things 7"]],
    [undefined, []],
    [0, ["things 0"]],
  ] as const) {
    meter.set(meter.series(), value);
    expect(lines()).toEqual(told);
  }
});

test("what is past seriesMax of a metric counts for one series", () => {
  const { meter, lines } = meterOf();
  for (const kind of ["a", "b", "c", "d", "a"]) meter.add(meter.series(kind));
  expect(lines()).toEqual(['things{kind="a"} 2', 'things{kind="b"} 1', 'things{kind="other"} 2']);
});

test("what has no series yet is asked for without taking one", () => {
  const { meter, lines } = meterOf();
  meter.add(meter.series("a"));
  for (const kind of ["a", "b", "c", "d"]) meter.add(meter.known(kind));
  meter.add(meter.series("b"));
  expect(lines()).toEqual(['things{kind="a"} 2', 'things{kind="b"} 1', 'things{kind="other"} 3']);
});

test("a series that is folded counts for the others, and leaves its row", () => {
  const { meter, lines } = meterOf({ seriesMax: 4 });
  for (const kind of ["a", "other", "b", "b"]) meter.add(meter.series(kind));
  meter.fold("b");
  meter.add(meter.series("c"));
  expect(lines()).toEqual([
    ...['things{kind="a"} 1', 'things{kind="other"} 3', 'things{kind="c"} 1'],
  ]);
});

test("all metrics together have a bounded number of series", () => {
  const having = (count: number) => ({
    one: family({ seriesMax: 1 }),
    more: family({ seriesMax: count }),
  });
  expect(() => createRegistry(having(metricLimits.series - 1))).not.toThrow();
  expect(() => createRegistry(having(metricLimits.series))).toThrow("6001 series are more than");
  const used = Object.values(families).reduce((sum, one) => sum + one.seriesMax * widthOf(one), 0);
  expect(used).toBeLessThanOrEqual(metricLimits.series);
});

test("each metric has a name of its own, of the form that Prometheus takes", () => {
  const names = Object.values(families).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const units = /_(?:seconds|bytes|ratio|total|position|length|events|waiting|writes)$/;
  const counts = [
    "iam_watches",
    "iam_database_connections",
    "iam_ready",
    "iam_warnings",
    "iam_info",
  ];
  expect(names.filter((name) => !units.test(name) && !counts.includes(name))).toEqual([]);
  for (const { name, type } of Object.values(families)) {
    expect([name, name.endsWith("_total")]).toEqual([name, type === "counter"]);
  }
});
