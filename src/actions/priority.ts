import { readFileSync, readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { basename } from "node:path";

// On Linux a priority is a thread's; elsewhere it would be that of the whole process, and stays.

/** Where even those who hash passwords come first. */
const lowest = 19;

/**
 * The number by which the system knows the thread that asks. Where that is not to be found, its
 * priority becomes low at once, since nobody else can make it so later.
 */
export function ownThread(): number | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return Number(basename(readlinkSync("/proc/thread-self")));
  } catch {
    setPriority(lowest);
    return undefined;
  }
}

/** Milliseconds of CPU time that a thread has taken; undefined where the system does not say. */
export function cpuMsOf(thread: number): number | undefined {
  try {
    const said = readFileSync(`/proc/self/task/${thread}/schedstat`, "utf8");
    return Number(said.split(" ", 1)[0]) / 1e6;
  } catch {
    return undefined;
  }
}

/** Has a thread give way to all others. Without privileges nothing takes this back. */
export function lowerPriority(thread: number): void {
  try {
    setPriority(thread, lowest);
  } catch {
    // It has just ended.
  }
}

/** Sees that a thread whose jobs take long gives way. */
interface PriorityWatch {
  /** By what number the system knows it. */
  know(thread: number | undefined): void;
  /** A job begins, of one whose jobs are known to take long or of another. */
  begin(isSlow: boolean): void;
  end(): void;
  isLow(): boolean;
}

/** Watches a thread: a job may take `briefMs` of CPU time, however long it has to wait for it. */
export function watchPriority(briefMs: number): PriorityWatch {
  let thread: number | undefined;
  let isLow = false;
  let timer: NodeJS.Timeout | undefined;

  function lower(number: number): void {
    isLow = true;
    lowerPriority(number);
  }

  function look(number: number, sinceMs?: number): void {
    timer = setTimeout(() => {
      const cpuMs = cpuMsOf(number);
      if (cpuMs === undefined || (sinceMs !== undefined && cpuMs - sinceMs >= briefMs)) {
        lower(number);
      } else look(number, sinceMs ?? cpuMs);
    }, briefMs);
  }

  return {
    know: (number) => {
      thread = number;
    },
    begin(isSlow) {
      if (thread === undefined || isLow) return;
      if (isSlow) lower(thread);
      else look(thread);
    },
    end: () => clearTimeout(timer),
    isLow: () => isLow,
  };
}
