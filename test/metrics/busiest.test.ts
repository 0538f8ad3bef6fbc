import { expect, test } from "@jest/globals";
import { createBusiest } from "../../src/metrics/busiest.ts";
import { type MetricLimits, metricLimits } from "../../src/metrics/limits.ts";

/** Counts names one after the other; answers what was told for the last, and who left. */
function told(names: readonly string[], limits: MetricLimits = metricLimits) {
  const left: string[] = [];
  const nameOf = createBusiest((name) => left.push(name), limits);
  return { last: names.map(nameOf).at(-1), left };
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `app-${at}`);

test("as many as may be have a name of their own, and one more has not", () => {
  const all = numbered(metricLimits.applications);
  expect(told(all).last).toBe(`app-${metricLimits.applications - 1}`);
  expect(told([...all, "one-more"])).toEqual({ last: "other", left: [] });
});

test("a busier one takes the place of the least busy one", () => {
  const limits = { ...metricLimits, applications: 2 };
  expect(told(["a", "a", "b", "c"], limits)).toEqual({ last: "other", left: [] });
  expect(told(["a", "a", "b", "c", "c"], limits)).toEqual({ last: "c", left: ["b"] });
  // It has to become busier again, and had one already.
  expect(told(["a", "a", "b", "c", "c", "b"], limits)).toEqual({ last: "other", left: ["b"] });
  const back = ["a", "a", "b", "c", "c", "b", "b"];
  expect(told(back, limits)).toEqual({ last: "b", left: ["b", "a"] });
});

test("of too many that are watched the least busy one is forgotten", () => {
  const limits = { ...metricLimits, applications: 1, watchedApplications: 2 };
  const busy = ["a", "a", "a", "a"];
  // With a place for each they would have been counted once; the last takes over a count.
  expect(told([...busy, "b", "c", "d", "d", "d"], limits)).toEqual({ last: "other", left: [] });
  expect(told([...busy, "b", "c", "d", "d", "d", "d"], limits)).toEqual({ last: "d", left: ["a"] });
  const roomy = { ...limits, watchedApplications: 3 };
  expect(told([...busy, "b", "c", "d", "d", "d", "d"], roomy).last).toBe("other");
});
