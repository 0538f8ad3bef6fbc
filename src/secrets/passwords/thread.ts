import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { Recipe } from "./encoded.ts";
import type { Done, Job } from "./worker.ts";

/** A worker thread for digests that would hold up the event loop. */
export interface Thread {
  /** The digest of the password. Rejects when the thread dies of it, and after close. */
  derive(recipe: Recipe, password: Uint8Array): Promise<Uint8Array>;
  /** Ends the thread; work that it has not done rejects. */
  close(): Promise<void>;
}

interface Waiting {
  resolve(digest: Uint8Array): void;
  reject(error: Error): void;
}

// The worker's file has the ending of this one: .ts as written, .js where it was compiled.
const file = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url);

/**
 * The thread starts with the first digest that is asked for, and again with the next after it has
 * died. It keeps the process alive only while it works.
 */
export function createThread(): Thread {
  let worker: Worker | undefined;
  let jobs = 0;
  let isClosed = false;
  const waiting = new Map<number, Waiting>();

  function start(): Worker {
    const started = new Worker(file);
    started.unref();
    started.on("message", ({ number, digest }: Done) => {
      waiting.get(number)?.resolve(digest);
      waiting.delete(number);
      if (waiting.size === 0) started.unref();
    });
    // An exception inside is told by "error" and followed by "exit". Its text is not passed on, for
    // it may quote a password.
    let why = "closed";
    started.on("error", (error: NodeJS.ErrnoException) => {
      why = error.code ?? error.name;
    });
    started.on("exit", () => {
      worker = undefined;
      for (const { reject } of waiting.values())
        reject(new Error(`the hashing thread ended: ${why}`));
      waiting.clear();
    });
    return started;
  }

  return {
    derive(recipe, password) {
      return new Promise((resolve, reject) => {
        if (isClosed) throw new Error("the hashing thread is closed");
        worker ??= start();
        worker.ref();
        jobs += 1;
        waiting.set(jobs, { resolve, reject });
        worker.postMessage({ number: jobs, recipe, password } satisfies Job);
      });
    },
    async close() {
      isClosed = true;
      await worker?.terminate();
    },
  };
}
