import { FetchFailed } from "./failed.ts";

/** Lets so many fetches run at once; the others wait in the order in which they came. */
export interface Slots {
  /**
   * Resolves when it is the caller's turn, who must then call `release` once. Rejects with the
   * signal's reason when it fires before, and with TOO_MANY_FETCHES when too many wait already.
   */
  take(signal: AbortSignal): Promise<void>;
  release(): void;
}

export function createSlots(concurrentMax: number, waitingMax: number): Slots {
  let taken = 0;
  const waiting = new Set<() => void>();
  return {
    take: (signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason);
        } else if (taken < concurrentMax) {
          taken += 1;
          resolve();
        } else if (waiting.size >= waitingMax) {
          reject(
            new FetchFailed(
              "TOO_MANY_FETCHES",
              "Too many URLs are being fetched: try again later.",
            ),
          );
        } else {
          const leave = () => {
            waiting.delete(enter);
            reject(signal.reason);
          };
          const enter = () => {
            signal.removeEventListener("abort", leave);
            resolve();
          };
          waiting.add(enter);
          signal.addEventListener("abort", leave, { once: true });
        }
      }),
    release: () => {
      const [next] = waiting;
      if (next === undefined) {
        taken -= 1;
        return;
      }
      // The slot goes to the next one without becoming free in between.
      waiting.delete(next);
      next();
    },
  };
}
