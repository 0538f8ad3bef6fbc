import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { type Job, loadMachines, type MachineLimits } from "./machine.ts";

// What runs in the threads of `thread.ts`: jobs, one after another.

/** How far what scripts do stands behind the event loop where both want the same core. */
const niceness = 10;
// On Linux a priority is a thread's; elsewhere it would be that of the whole process.
if (process.platform === "linux") setPriority(niceness);

const machines = await loadMachines(workerData as MachineLimits);
parentPort?.on("message", async (job: Job) => {
  parentPort?.postMessage(await machines.run(job));
  machines.prepare();
});
machines.prepare();
parentPort?.postMessage("ready");
