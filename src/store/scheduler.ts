import { setImmediate as nextTurn } from "node:timers/promises";

/** Calls back once after so many milliseconds; what it answers calls that off. */
export type Timer = (ms: number, callback: () => void) => () => void;

/** Time as it passes for those who wait: that of the process, or one that a test makes up. */
export interface Scheduler {
  /** Milliseconds since some moment, which only go on. */
  nowMs(): number;
  readonly timer: Timer;
  /** Resolves in another turn of the event loop. */
  nextTurn(): Promise<void>;
}

/** The time of the process; no timer of it keeps the process running. */
export const systemScheduler: Scheduler = {
  nowMs: () => performance.now(),
  timer: (ms, callback) => {
    const timeout = setTimeout(callback, ms).unref();
    return () => clearTimeout(timeout);
  },
  nextTurn: () => nextTurn(),
};
