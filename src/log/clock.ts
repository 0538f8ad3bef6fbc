import { acceptClock, instance, instanceId } from "../domain/instance.ts";
import { operator } from "../domain/user/state/made.ts";
import { doneOr } from "../execute/done.ts";
import type { Execute } from "../execute/execute.ts";
import { readInstance } from "../execute/read-object.ts";
import { isAppended } from "../store/after-append.ts";
import { type Store, StoreUnavailable } from "../store/store.ts";

/** What a clock may do before it is not believed. */
export const clockLimits = {
  /** Milliseconds that the clock of the system may be behind the newest event. */
  behindMaxMs: 5 * 60_000,
  /** Milliseconds between two appends of which the later decision may be written first. */
  overlapMs: 5_000,
  /** Milliseconds that it may move at once, either way, beside a clock that is never set. */
  jumpMaxMs: 5 * 60_000,
  /** Milliseconds without a jump after which it is believed. */
  settleMs: 15 * 60_000,
} as const;

/** An event's place and time, as much as a clock needs to know of it. */
interface Seen {
  readonly position: bigint;
  readonly timeMs: number;
}

/**
 * The time of a log, in Unix milliseconds. It is never before an event that was seen, nor does it
 * follow the clock of the system back by more than `behindMaxMs` once that has settled.
 */
export interface Clock {
  now(): number;
  /** Takes note of an event. Those before the newest say nothing of what time it is now. */
  see(event: Seen): void;
  /** By how much the system, with what was accepted, is behind that; 0 where it is not. */
  behindMs(): number;
  /** Milliseconds that the log is ahead of the system, as somebody has accepted. */
  aheadMs(): number;
  /** Lets the log be ahead by so much, unless it is by more. */
  goAhead(aheadMs: number): void;
  /** Whether the clock of the system has gone on evenly for `settleMs`. */
  isSettled(): boolean;
}

/**
 * Makes a clock from that of the system, which may be set, and one that goes on evenly from any
 * beginning, which may not.
 */
export function createClock(
  system: () => number = Date.now,
  even: () => number = () => performance.now(),
): Clock {
  let newest: Seen = { position: 0n, timeMs: 0 };
  let latestMs = 0;
  let aheadMs = 0;
  /** The clock of the system less the even one, now and when it was believed. */
  let offsetMs = system() - even();
  let settledOffsetMs = Number.NEGATIVE_INFINITY;
  let jumpedMs = even();

  function read() {
    const [systemMs, evenMs] = [system(), even()];
    const before = offsetMs;
    offsetMs = systemMs - evenMs;
    if (Math.abs(offsetMs - before) > clockLimits.jumpMaxMs) jumpedMs = evenMs;
    const isSettled = evenMs - jumpedMs >= clockLimits.settleMs;
    // One that was set back is not believed for going on.
    const isBack = offsetMs < settledOffsetMs - clockLimits.behindMaxMs;
    if (isSettled && !isBack) settledOffsetMs = offsetMs;
    const leastMs = Math.max(latestMs, settledOffsetMs + evenMs + aheadMs);
    return { systemMs: systemMs + aheadMs, leastMs, isSettled };
  }

  return {
    now() {
      const { systemMs, leastMs } = read();
      return Math.max(systemMs, Math.floor(leastMs));
    },
    see(event) {
      if (event.position <= newest.position) return;
      newest = event;
      latestMs = Math.max(latestMs, event.timeMs);
    },
    behindMs() {
      const { systemMs, leastMs } = read();
      return Math.max(Math.floor(leastMs) - systemMs, 0);
    },
    aheadMs: () => aheadMs,
    goAhead(ms) {
      aheadMs = Math.max(aheadMs, ms);
    },
    isSettled: () => read().isSettled,
  };
}

/** Where it is told that a clock is not believed. */
type Log = {
  readonly [level in "error" | "info"]: (members: object, text: string) => void;
};

/**
 * The store as it is, from which a clock learns. While the clock of the system is behind the log by
 * more than `behindMaxMs`, nothing is appended, no message is handed out, and it is not ready.
 *
 * No append is dated before the last event by more than `overlapMs`, nor by any time while the
 * clock is behind. One that is refused for that has the clock learn the time to decide it anew at.
 */
export function timedStore(store: Store, clock: Clock, log: Log): Store {
  let isRefusing = false;
  /** How many appends were refused for their time, and were not made again since. */
  let refused = 0;
  const isBehind = () => clock.behindMs() > clockLimits.behindMaxMs;

  /** By how much the next append may be behind. One that is made again may overlap with others. */
  function overlapMs(): number {
    if (clock.behindMs() === 0) return clockLimits.overlapMs;
    if (refused === 0) return 0;
    refused -= 1;
    return clockLimits.overlapMs;
  }

  async function assertInTime(): Promise<void> {
    // Another process may have been started with the word to accept it.
    if (isBehind()) await learnAhead(store, clock);
    const behindMs = clock.behindMs();
    if (isBehind() !== isRefusing) {
      isRefusing = !isRefusing;
      if (isRefusing) log.error({ behindMs }, "the clock went back: the service writes nothing");
      else log.info({ behindMs }, "the clock has caught up with the log");
    }
    if (isRefusing) {
      const message = `The clock is ${behindMs} ms behind the newest event.`;
      throw new StoreUnavailable(message, { why: "clock-went-back" });
    }
  }

  const seeing = <T extends Seen>(events: readonly T[]): readonly T[] => {
    for (const event of events) clock.see(event);
    return events;
  };
  return {
    ...store,
    load: async (streams) => {
      const objects = await store.load(streams);
      for (const { position, changedMs: timeMs } of objects) clock.see({ position, timeMs });
      return objects;
    },
    append: async (append) => {
      if (isBehind() || isRefusing) await assertInTime();
      const result = await store.append({ ...append, behindMs: overlapMs() });
      if (isAppended(result)) seeing(result.events);
      if (result.kind === "time-behind") {
        clock.see(await store.head());
        refused += 1;
      }
      return result;
    },
    list: async (query) => {
      const page = await store.list(query);
      if (page !== undefined) clock.see(page.head);
      return page;
    },
    readStream: async (...query) => seeing(await store.readStream(...query)),
    readAll: async (...query) => seeing(await store.readAll(...query)),
    search: async (query) => {
      const page = await store.search(query);
      seeing(page.events);
      return page;
    },
    head: async () => {
      const head = await store.head();
      clock.see(head);
      return head;
    },
    leaseMessages: async (query) => {
      if (isBehind() || isRefusing) await assertInTime();
      return await store.leaseMessages(query);
    },
    ready: async () => {
      await store.ready();
      await assertInTime();
    },
  };
}

/** Has a clock begin where the log ends. */
export async function beginTime(store: Store, clock: Clock): Promise<void> {
  clock.see(await store.head());
  await learnAhead(store, clock);
}

async function learnAhead(store: Pick<Store, "load">, clock: Clock): Promise<void> {
  const found = await readInstance(store);
  if (found !== undefined) clock.goAhead(found.aheadMs ?? 0);
}

/**
 * Accepts that the clock of the system is behind the log, and records it: from now on the time of
 * the log goes on from its newest event, as fast as that clock. Does nothing where the clock is
 * believed anyway.
 */
export async function acceptTime(execute: Execute, clock: Clock, log: Log): Promise<void> {
  const behindMs = clock.behindMs();
  if (behindMs <= clockLimits.behindMaxMs) return;
  const aheadMs = clock.aheadMs() + behindMs;
  clock.goAhead(aheadMs);
  const outcome = await execute({
    actor: operator,
    writes: { instance: { noun: instance, id: instanceId } },
    relies: {},
    decide: (states) => acceptClock(states.instance, aheadMs),
  });
  doneOr(outcome, "the clock could not be accepted");
  log.info({ aheadMs }, "the clock was accepted: times in the log stay ahead of it");
}
