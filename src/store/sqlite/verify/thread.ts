import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Progress } from "../../progress.ts";
import type { CheckedSeals, Hear, SealsCheck } from "../../verify/sealed.ts";
import type { SealsData, Told } from "./seals-thread.ts";

// The thread's file has the ending of this one: .ts as written, .js where it was compiled.
const file = new URL(`./seals-thread${extname(import.meta.filename)}`, import.meta.url);

/** Starts a thread that checks all that is sealed in a log, with a connection of its own. */
export function startSealsThread(
  data: SealsData,
  {
    report,
    progress = () => {},
    count = () => {},
  }: Pick<Hear, "report"> & Partial<Hear> & { readonly progress?: Progress | undefined },
): SealsCheck<CheckedSeals> {
  const { promise: checked, resolve, reject } = Promise.withResolvers<CheckedSeals>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  // The caller who stopped it does not wait for its result.
  checked.catch(() => {});
  const worker = new Worker(file, { workerData: data, name: "seals" });
  worker.on("message", (told: Told) => {
    if ("damage" in told) report(told.damage);
    else if ("progress" in told) progress(told.progress);
    else if ("events" in told) count(told.events);
    else if ("checked" in told) resolve(told.checked);
    else reject(Object.assign(new Error(told.failed.message), { code: told.failed.code }));
  });
  worker.on("error", reject);
  worker.on("exit", () => {
    reject(new Error("the thread that checks the log has ended"));
    end();
  });
  return {
    checked,
    stop: async () => {
      worker.postMessage("end");
      await ended;
    },
  };
}
