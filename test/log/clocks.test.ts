import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { clockLimits, createClock } from "../../src/log/clock.ts";
import { startTwin, type Twin } from "../cases/twin.ts";
import { shortened } from "../harness/extent.ts";
import { describeFew } from "../harness/in-full.ts";
import { findPostgres } from "../harness/postgres-programs.ts";
import { startServer, type TestServer } from "../harness/server.ts";

/** Two services on one log, on machines whose clocks differ. */

const { behindMaxMs, overlapMs } = clockLimits;
const beginMs = Date.parse("2026-11-22T00:00:00Z");
const kinds = findPostgres() === undefined ? (["file"] as const) : (["file", "postgres"] as const);

let passedMs: number;
let skewMs: number;
let server: TestServer;
let twin: Twin;

const clockOf = (aheadMs: () => number) =>
  createClock(
    () => beginMs + passedMs + aheadMs(),
    () => passedMs,
  );

let names = 0;
async function create(url: string): Promise<number> {
  names += 1;
  const response = await fetch(`${url}/management/v1/projects`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.admin.token}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ name: `Project ${names}` }),
  });
  return response.status;
}

/** By how many milliseconds each event is dated before the one in front of it; none is not. */
async function stepsBack(): Promise<readonly number[]> {
  const times = (await server.events()).map(({ timeMs }) => timeMs);
  const steps = times.map((timeMs, i) => (times[i - 1] ?? timeMs) - timeMs);
  return steps.filter((stepMs) => stepMs > 0);
}

describeFew().each(kinds)("two clocks on one log (%s)", (kind) => {
  beforeEach(async () => {
    passedMs = 0;
    skewMs = 0;
    server = await startServer({ kind, clock: clockOf(() => 0) });
    twin = await startTwin(server, { clock: clockOf(() => skewMs) });
  });
  afterEach(async () => {
    await twin.close();
    await server.close();
  });

  test.each(shortened([-120_000, 120_000, -overlapMs - 1, -behindMaxMs]))(
    "of which one is %i ms ahead date no event before the one in front of it",
    async (aheadMs) => {
      skewMs = aheadMs;
      for (let count = 0; count < 10; count += 1) {
        passedMs += count * 3;
        expect(await create(count % 2 === 0 ? server.url : twin.url)).toBe(200);
      }
      expect(await stepsBack()).toEqual([]);
    },
  );

  test.each(shortened([-120_000, 120_000]))(
    "of which one is %i ms ahead go back by little where both hurry",
    async (aheadMs) => {
      skewMs = aheadMs;
      for (let count = 0; count < 5; count += 1) {
        passedMs += 4 * overlapMs;
        const urls = [server.url, twin.url, server.url, twin.url];
        expect(await Promise.all(urls.map(create))).toEqual(urls.map(() => 200));
      }
      for (const stepMs of await stepsBack()) expect(stepMs).toBeLessThanOrEqual(overlapMs);
    },
  );

  test("of which one is too far behind have it write nothing, once others wrote", async () => {
    skewMs = -behindMaxMs - 1;
    passedMs += 60_000;
    expect(await create(server.url)).toBe(200);
    const before = await server.head();
    expect(await create(twin.url)).toBe(503);
    expect(await server.head()).toBe(before);
    expect(await create(server.url)).toBe(200);
  });
});
