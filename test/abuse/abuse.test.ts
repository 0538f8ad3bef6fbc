import { expect, test } from "@jest/globals";
import { patience } from "../harness/extent.ts";
import { abuse, abuseLimits } from "./run.ts";

// The smallest form of "make abuse", which has the longer ones.

test(
  "honest callers are answered while the service is abused in all ways at once",
  async () => {
    const report = await abuse({ abuseMs: 20_000, quietMs: 500 });
    const { before, during, after, peak, growthMiB, done, defects } = report;
    expect([before, during, after].flatMap(({ failures }) => failures)).toEqual([]);
    for (const { calls, logins } of [before, during, after]) {
      expect(Math.min(calls, logins)).toBeGreaterThan(0);
    }
    for (const steps of Object.values(done.counts)) expect(steps).toBeGreaterThan(0);
    expect(defects).toEqual([]);
    expect(peak.residentMiB).toBeLessThan(abuseLimits.residentMiB);
    expect(growthMiB).toBeLessThan(abuseLimits.growthMiB);
  },
  120_000 * patience,
);

test(
  "those who take no answer are given pages, and events, until there is no more room",
  async () => {
    const names = ["unread", "unreadHttp1"];
    const goesOn = (outcomes: ReadonlyMap<string, number>) => !outcomes.has("ANSWERS_OVERLOADED");
    const { outcomes, defects } = await abuse({ abuseMs: 5_000, quietMs: 500, names, goesOn });
    expect(defects).toEqual([]);
    // Nobody is refused for anything else, so what waits are answers.
    expect([...outcomes.keys()].toSorted()).toEqual(["ANSWERS_OVERLOADED", "CANCELED", "OK"]);
  },
  120_000 * patience,
);
