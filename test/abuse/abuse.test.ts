import { expect, test } from "@jest/globals";
import { patience } from "../harness/extent.ts";
import { abuse } from "./run.ts";

// The smallest form of "make abuse", which has the longer ones.

test(
  "honest callers are answered while the service is abused in all ways at once",
  async () => {
    const report = await abuse({ abuseMs: 20_000, quietMs: 500 });
    const { before, during, after, peak, done, defects } = report;
    expect([before, during, after].flatMap(({ failures }) => failures)).toEqual([]);
    for (const { calls } of [before, during, after]) expect(calls).toBeGreaterThan(0);
    for (const steps of Object.values(done.counts)) expect(steps).toBeGreaterThan(0);
    expect(defects).toEqual([]);
    expect(peak.residentMiB).toBeLessThan(512);
  },
  120_000 * patience,
);
