import { parentPort, workerData } from "node:worker_threads";
import { type Job, loadMachines, type MachineData } from "./machine.ts";
import { ownThread } from "./priority.ts";

// What runs in the threads of `thread.ts`: jobs, one after another.

/** What a thread says once, when it can run jobs. */
export interface Ready {
  /** Its number at the system, where it has one. */
  readonly ready: number | undefined;
}

const machines = await loadMachines(workerData as MachineData);
parentPort?.on("message", async (job: Job | string) => {
  // An answer for a script that had ended already.
  if (typeof job === "string") return;
  parentPort?.postMessage(await machines.run(job));
  void machines.prepare();
});
// The first machine takes longest, and is not to count as the time of a run.
await machines.prepare();
parentPort?.postMessage({ ready: ownThread() } satisfies Ready);
