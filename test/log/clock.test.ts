import { beforeEach, describe, expect, test } from "@jest/globals";
import { type Clock, clockLimits, createClock } from "../../src/log/clock.ts";

const { behindMaxMs, jumpMaxMs, settleMs } = clockLimits;
const hourMs = 3_600_000;

let systemMs: number;
let evenMs: number;
let clock: Clock;

/** Lets time go by on both clocks. */
const pass = (ms: number) => {
  systemMs += ms;
  evenMs += ms;
};
const at = (position: bigint, timeMs: number) => clock.see({ position, timeMs });

beforeEach(() => {
  systemMs = 1_800_000_000_000;
  evenMs = 7.5;
  clock = createClock(
    () => systemMs,
    () => evenMs,
  );
});

describe("the time of a log", () => {
  test("is that of the system, forwards too", () => {
    for (const ms of [1, hourMs, 100 * hourMs]) {
      systemMs += ms;
      expect([clock.now(), clock.behindMs()]).toEqual([systemMs, 0]);
    }
  });

  test("is never before an event that was seen", () => {
    const newestMs = systemMs + behindMaxMs + 1;
    at(9n, newestMs);
    expect([clock.now(), clock.behindMs()]).toEqual([newestMs, behindMaxMs + 1]);
    pass(1);
    expect([clock.now(), clock.behindMs()]).toEqual([newestMs, behindMaxMs]);
    pass(behindMaxMs + 1);
    expect([clock.now(), clock.behindMs()]).toEqual([systemMs, 0]);
  });

  test("knows events by their position: of old, dates may have gone back", () => {
    at(9n, systemMs);
    at(8n, systemMs + hourMs);
    at(9n, systemMs + hourMs);
    expect(clock.now()).toBe(systemMs);
    at(10n, systemMs - hourMs);
    expect(clock.now()).toBe(systemMs);
  });

  test("goes on from its newest event where that was accepted, and never by less", () => {
    at(1n, systemMs + 100 * hourMs);
    clock.goAhead(100 * hourMs);
    expect([clock.now(), clock.behindMs()]).toEqual([systemMs + 100 * hourMs, 0]);
    clock.goAhead(hourMs);
    pass(hourMs);
    expect([clock.now(), clock.aheadMs()]).toEqual([systemMs + 100 * hourMs, 100 * hourMs]);
  });
});

describe("a clock that is set", () => {
  test("is settled when it has gone on evenly for long enough", () => {
    pass(settleMs - 1);
    expect(clock.isSettled()).toBe(false);
    pass(1);
    expect(clock.isSettled()).toBe(true);
    systemMs += jumpMaxMs;
    expect(clock.isSettled()).toBe(true);
    systemMs += jumpMaxMs + 1;
    expect(clock.isSettled()).toBe(false);
    pass(settleMs);
    expect(clock.isSettled()).toBe(true);
  });

  test("is not followed back, though nothing was recorded", () => {
    pass(settleMs);
    const nowMs = clock.now();
    systemMs -= hourMs;
    expect([clock.now(), clock.behindMs()]).toEqual([nowMs, hourMs]);
    // To wait makes no clock right.
    pass(settleMs);
    expect([clock.now(), clock.behindMs()]).toEqual([nowMs + settleMs, hourMs]);
    systemMs += hourMs;
    expect([clock.now(), clock.behindMs()]).toEqual([systemMs, 0]);
  });

  test("is followed back by little", () => {
    pass(settleMs);
    expect(clock.now()).toBe(systemMs);
    systemMs -= behindMaxMs;
    expect([clock.now(), clock.behindMs()]).toEqual([systemMs, 0]);
  });

  test("is followed back from a visit to the future of which nothing was recorded", () => {
    pass(settleMs);
    expect(clock.isSettled()).toBe(true);
    systemMs += 100 * hourMs;
    expect(clock.now()).toBe(systemMs);
    pass(3_000);
    expect([clock.now(), clock.isSettled()]).toEqual([systemMs, false]);
    systemMs -= 100 * hourMs;
    expect([clock.now(), clock.behindMs()]).toEqual([systemMs, 0]);
  });
});
