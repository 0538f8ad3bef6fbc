import type { SandboxLimits } from "./limits.ts";
import type { Job, Told } from "./machine.ts";
import { type RunOptions, startThread, type Thread, type ThreadLimits } from "./thread.ts";

/** Threads that start when they are first needed. Callers see to it that so many jobs run. */
export interface Pool {
  /** Runs a job, for an organization that is prompt or one that is not. */
  run(job: Job, options: RunOptions & { readonly isPrompt: boolean }): Promise<Told>;
  /** Ends them, and whatever they run. */
  close(): Promise<void>;
}

/** Makes it without a thread. */
export function createPool(limits: ThreadLimits & Pick<SandboxLimits, "threads">): Pool {
  const threads = new Set<Thread>();
  const idle: Thread[] = [];

  function start(): Thread {
    const thread = startThread(limits, {
      onEnd: () => threads.delete(thread),
      // The next run would have to wait for another one to start.
      mayEnd: () => thread.isLow() || [...threads].filter((one) => one.isUsable()).length > 1,
    });
    threads.add(thread);
    return thread;
  }

  /** Who is prompt is not given a thread that gives way where there can be another one. */
  function take(isPrompt: boolean): Thread {
    const fitting = takeIdle(idle, (thread) => thread.isLow() !== isPrompt);
    if (fitting !== undefined) return fitting;
    const canStart = isPrompt && threads.size < limits.threads;
    return (canStart ? undefined : takeIdle(idle, () => true)) ?? start();
  }

  return {
    async run(job, { isPrompt, ...options }) {
      const thread = take(isPrompt);
      const told = await thread.run(job, options);
      if (thread.isUsable()) idle.push(thread);
      return told;
    },
    async close() {
      await Promise.all([...threads].map((thread) => thread.end()));
    },
  };
}

/** The one that has waited longest: it has had the most time to make its next machine. */
function takeIdle(idle: Thread[], fits: (thread: Thread) => boolean): Thread | undefined {
  const usable = idle.filter((thread) => thread.isUsable());
  const taken = usable.find(fits);
  idle.splice(0, idle.length, ...usable.filter((thread) => thread !== taken));
  return taken;
}
