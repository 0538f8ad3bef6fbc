import type { LinkedEvent } from "../event.ts";
import { isSame } from "./chain/chain.ts";
import { Forged } from "./chain/forged.ts";
import { isErasing, withoutErased } from "./erasure.ts";
import { type EventPage, type EventQuery, searchLimits } from "./query.ts";
import { type Scheduler, systemScheduler } from "./scheduler.ts";
import type { Store } from "./store.ts";

/** Tells followers that the log has grown, by this process or another, and reads it for all. */
export interface Feed {
  /**
   * Whether the log has grown beyond the position: resolves with true when it has, or when it is
   * not any more the one that was read before, with false after so many milliseconds or when the
   * signal is aborted.
   */
  beyond(position: bigint, timeoutMs: number, signal: AbortSignal): Promise<boolean>;
  /**
   * What `Store.search` answers upwards, from the end of the log as it was last read for all who
   * wait: `isEnd` says that there was no more by then. The events are the same objects for all who
   * ask. Undefined where the query begins before what is held in memory, or behind that end, and
   * where nobody has looked for `heldMs`.
   */
  search(query: Followed): EventPage | undefined;
  /** The link at a position, as `search` knows the log; undefined where it is not held. */
  linkAt(position: bigint): Uint8Array | undefined;
  /** Says that this process has just written. */
  wake(): void;
}

/** A question about events to come; there is no time to ask for. */
export type Followed = Omit<EventQuery, "before" | "descending" | "fromMs" | "untilMs">;

/** The intervals at which the log is looked at, and how much of its end is held. */
export const feedLimits = {
  /** Milliseconds between two looks at what other processes wrote, while somebody waits. */
  pollMs: 250,
  /** Milliseconds for which what this process wrote and who waits are gathered into one look. */
  gatherMs: 10,
  /** And for each who waits, since each then looks at what was read. */
  gatherMsPerWaiter: 0.1,
  /** Events of the log's end that are held, and UTF-8 bytes of their payloads. */
  heldEvents: 10_000,
  heldBytes: 8 * 1024 * 1024,
  /** Milliseconds from the last look for which what is held is shown: it may be erased since. */
  heldMs: 1_000,
  /** Events that are read in one turn of the event loop. */
  readEvents: 200,
} as const;

interface Waiter {
  readonly position: bigint;
  readonly grown: () => void;
}

/** The numbers of `feedLimits` that bound what is held. */
type HeldLimits = Pick<
  { readonly [name in keyof typeof feedLimits]: number },
  "heldEvents" | "heldBytes" | "readEvents"
>;

/** Makes the feed of a store, which waits by the scheduler. */
export function createFeed(
  store: Pick<Store, "head" | "search" | "linkAt">,
  limits: HeldLimits = feedLimits,
  scheduler: Scheduler = systemScheduler,
): Feed {
  const { nowMs, timer } = scheduler;
  const waiters = new Set<Waiter>();
  const tail = createTail(store, limits, scheduler);
  let looking = Promise.resolve();
  let next: { readonly callOff: () => void; readonly dueMs: number } | undefined;

  function gatherMs(): number {
    return feedLimits.gatherMs + waiters.size * feedLimits.gatherMsPerWaiter;
  }

  function lookAfter(ms: number): void {
    const dueMs = nowMs() + ms;
    if (next !== undefined && next.dueMs <= dueMs) return;
    next?.callOff();
    next = { callOff: timer(ms, lookNext), dueMs };
  }

  /** One look after the other, so that each event is read once. */
  function lookNext(): void {
    next = undefined;
    looking = looking.then(look);
  }

  async function look(): Promise<void> {
    // A store that cannot be read now is tried again: its readers get the error.
    const read = await tail.read().catch(() => undefined);
    for (const { position, grown } of waiters) {
      if (read !== undefined && (read.end > position || read.isAnother)) grown();
    }
    if (waiters.size > 0) lookAfter(feedLimits.pollMs);
  }

  return {
    beyond(position, timeoutMs, signal) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const end = (hasGrown: boolean) => {
        waiters.delete(waiter);
        callOff();
        signal.removeEventListener("abort", stop);
        resolve(hasGrown);
      };
      const waiter = { position, grown: () => end(true) };
      const stop = () => end(false);
      const callOff = timer(timeoutMs, stop);
      signal.addEventListener("abort", stop);
      waiters.add(waiter);
      if (signal.aborted) stop();
      // What was written since the caller looked is found soon.
      else lookAfter(gatherMs());
      return promise;
    },
    search: tail.search,
    linkAt: tail.linkAt,
    wake() {
      if (waiters.size > 0) lookAfter(gatherMs());
    },
  };
}

/** Makes what holds the latest events of the log in memory, without a gap. */
function createTail(
  store: Pick<Store, "head" | "search" | "linkAt">,
  limits: HeldLimits,
  { nextTurn, nowMs }: Scheduler,
) {
  /** The events behind `start`, up to `end`, and the link there. */
  let held: LinkedEvent[] = [];
  let bytes = 0;
  let start = 0n;
  let startLink: Uint8Array | undefined;
  let end: bigint | undefined;
  let readMs = 0;

  /** Holds nothing but the place. Who waits further back reads for himself. */
  async function begin(position: bigint): Promise<void> {
    end = undefined;
    startLink = await store.linkAt(position);
    [held, bytes, start, end] = [[], 0, position, position];
  }

  function linkAt(position: bigint): Uint8Array | undefined {
    return position === start ? startLink : held[Number(position - start) - 1]?.link;
  }

  /** Holds the events too, and lets go of the oldest past the limits. */
  function hold(events: readonly LinkedEvent[]): void {
    held.push(...events);
    if (events.some(({ type }) => isErasing(type))) {
      held = [...withoutErased(held)];
      bytes = bytesOf(held);
    } else {
      bytes += bytesOf(events);
    }
    let gone = 0;
    while (held.length - gone > limits.heldEvents || bytes > limits.heldBytes) {
      bytes -= sizeOf(held[gone]);
      gone += 1;
    }
    startLink = linkAt(start + BigInt(gone));
    held = held.slice(gone);
    start += BigInt(gone);
  }

  return {
    /** Reads what has been written since; answers the end of the log, and whether it is another. */
    read: async () => {
      const head = await store.head();
      readMs = nowMs();
      let isAnother = end !== undefined && head.position < end;
      const isFar = end === undefined || head.position - end > limits.heldEvents;
      if (isFar || isAnother) await begin(head.position);
      try {
        while (end !== undefined && end < head.position) {
          const { events, through } = await store.search({ after: end, limit: limits.readEvents });
          // After the page: a standby that took over need not have what was held.
          isAnother = !isThere(linkAt(end), await store.linkAt(end));
          if (isAnother) {
            await begin(head.position);
            break;
          }
          hold(events);
          end = through;
          if (end < head.position) await nextTurn();
        }
      } catch (error) {
        if (!(error instanceof Forged)) throw error;
        // Who waits for what cannot be served reads for himself, and hears of it.
        end = undefined;
      }
      return { end: end ?? head.position, isAnother };
    },
    linkAt,
    search: (query: Followed) => {
      const isOld = nowMs() - readMs > feedLimits.heldMs;
      return isOld || end === undefined || query.after < start || query.after > end
        ? undefined
        : searchAmong(held.slice(Number(query.after - start)), end, query);
    },
  };
}

/** Whether the log has the link now that it had; behind no event there was none. */
function isThere(link: Uint8Array | undefined, now: Uint8Array | undefined): boolean {
  return link === undefined || now === undefined ? link === now : isSame(link, now);
}

/** The page of the events, which are all from the one that is asked for to the end. */
function searchAmong(events: readonly LinkedEvent[], end: bigint, query: Followed): EventPage {
  const { limit, payloadBytes = searchLimits.payloadBytes } = query;
  const bytesMax = Math.min(payloadBytes, searchLimits.payloadBytes);
  const isMatch = matcherOf(query);
  const found: LinkedEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    if (!isMatch(event)) continue;
    bytes += sizeOf(event);
    if (found.length === limit || (bytes > bytesMax && found.length > 0)) {
      return { events: found, through: found.at(-1)?.position ?? query.after, isEnd: false };
    }
    found.push(event);
  }
  return { events: found, through: end, isEnd: true };
}

function matcherOf({ streams, kinds, types, owner, actor }: Followed) {
  const isAmong = (list: readonly string[] | undefined, text: string) =>
    list?.includes(text) ?? true;
  return (event: LinkedEvent) =>
    isAmong(streams, event.stream) &&
    (kinds === undefined || isOfKind(kinds, event.stream)) &&
    isAmong(types, event.type) &&
    (owner === undefined || event.owner === owner) &&
    (actor === undefined || event.actor === actor);
}

function isOfKind(kinds: readonly string[], stream: string): boolean {
  const hyphen = stream.indexOf("-");
  return hyphen >= 0 && kinds.includes(stream.slice(0, hyphen));
}

function bytesOf(events: readonly LinkedEvent[]): number {
  return events.reduce((sum, event) => sum + sizeOf(event), 0);
}

function sizeOf(event: LinkedEvent | undefined): number {
  return Buffer.byteLength(event?.payload ?? "");
}
