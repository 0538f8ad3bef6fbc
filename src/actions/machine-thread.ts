import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { type Job, loadMachines } from "./machine.ts";

// What runs in the threads of `thread.ts`: jobs, one after another.

/** How far what scripts do stands behind the event loop where both want the same core. */
const niceness = 10;
// On Linux a priority is a thread's; elsewhere it would be that of the whole process.
if (process.platform === "linux") setPriority(niceness);

const machines = await loadMachines();
parentPort?.on("message", async (job: Job) => parentPort?.postMessage(await machines.run(job)));
parentPort?.postMessage("ready");
