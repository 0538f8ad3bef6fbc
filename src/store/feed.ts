import type { Store } from "./store.ts";

/** Tells those who follow the log that it has grown, whichever process wrote. */
export interface Feed {
  /**
   * Whether the log has grown beyond the position: resolves with true when it has, with false after
   * so many milliseconds or when the signal is aborted.
   */
  beyond(position: bigint, timeoutMs: number, signal: AbortSignal): Promise<boolean>;
  /** Says that this process has just written. */
  wake(): void;
}

/** The intervals at which the log is looked at. */
export const feedLimits = {
  /** Milliseconds between two looks at what other processes wrote, while somebody waits. */
  pollMs: 250,
  /** Milliseconds for which what this process wrote and who waits are gathered into one look. */
  gatherMs: 10,
  /** And for each who waits, since each then reads for itself. */
  gatherMsPerWaiter: 0.5,
} as const;

interface Waiter {
  readonly position: bigint;
  readonly grown: () => void;
}

/** Makes the feed of a store. */
export function createFeed(store: Pick<Store, "head">): Feed {
  const waiters = new Set<Waiter>();
  let next: { readonly timer: NodeJS.Timeout; readonly dueMs: number } | undefined;

  function gatherMs(): number {
    return feedLimits.gatherMs + waiters.size * feedLimits.gatherMsPerWaiter;
  }

  function lookAfter(ms: number): void {
    const dueMs = performance.now() + ms;
    if (next !== undefined && next.dueMs <= dueMs) return;
    clearTimeout(next?.timer);
    next = { timer: setTimeout(look, ms), dueMs };
    next.timer.unref();
  }

  async function look(): Promise<void> {
    next = undefined;
    // A store that cannot be read now is looked at again: whoever reads from it hears of that.
    const head = await store.head().catch(() => undefined);
    for (const { position, grown } of waiters) {
      if (head !== undefined && head.position > position) grown();
    }
    if (waiters.size > 0) lookAfter(feedLimits.pollMs);
  }

  return {
    beyond(position, timeoutMs, signal) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const end = (hasGrown: boolean) => {
        waiters.delete(waiter);
        clearTimeout(timeout);
        signal.removeEventListener("abort", stop);
        resolve(hasGrown);
      };
      const waiter = { position, grown: () => end(true) };
      const stop = () => end(false);
      const timeout = setTimeout(stop, timeoutMs);
      timeout.unref();
      signal.addEventListener("abort", stop);
      waiters.add(waiter);
      if (signal.aborted) stop();
      // What was written since the caller looked is found soon.
      else lookAfter(gatherMs());
      return promise;
    },
    wake() {
      if (waiters.size > 0) lookAfter(gatherMs());
    },
  };
}
