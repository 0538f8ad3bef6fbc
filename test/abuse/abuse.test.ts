import { expect, test } from "@jest/globals";
import { isFull } from "../harness/extent.ts";
import { abuse } from "./run.ts";

// The smallest form of "make abuse", which has the longer ones.

test("honest callers are answered while the service is abused in all ways at once", async () => {
  const abuseMs = isFull ? 20_000 : 2_000;
  const { before, during, after, peak, done, defects } = await abuse({ abuseMs, quietMs: 500 });
  expect([before, during, after].flatMap(({ failures }) => failures)).toEqual([]);
  for (const { calls } of [before, during, after]) expect(calls).toBeGreaterThan(0);
  for (const steps of Object.values(done.counts)) expect(steps).toBeGreaterThan(0);
  expect(defects).toEqual([]);
  expect(peak.residentMiB).toBeLessThan(512);
}, 120_000);
