import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { createFairSlots } from "../../slots.ts";
import { Forged } from "../chain/forged.ts";
import type { ListQuery } from "../query.ts";
import type { ObjectPage } from "../store.ts";
import { StoreUnavailable } from "../store.ts";
import { listsOverloaded } from "../turns.ts";
import type { OpenFiles } from "./open-files.ts";
import type { Question, ReaderData, ThreadReply } from "./reader-thread.ts";

export type Reader = ReturnType<typeof createReader>;

// The thread's file has the ending of this one: .ts as written, .js where it was compiled.
const file = new URL(`./reader-thread${extname(import.meta.filename)}`, import.meta.url);

type ReaderOptions = Pick<ReaderData, "path" | "identity" | "limits"> & {
  readonly files: Pick<OpenFiles, "assertSame">;
};

/**
 * Makes the reader of a file that is open already: a thread with connections of its own, for what
 * takes long, lists that have to look at much and checkpoints. It begins after it was asked, so it
 * sees all that had been committed by then. The thread starts when it is first asked, and opens the
 * file at its path: with `files` it is seen that this is the same one.
 */
export function createReader(options: ReaderOptions) {
  const { searchMs, waitingLists } = options.limits;
  const thread = createThread(options);
  const slots = createFairSlots({
    ...{ concurrentMax: 1, ofOneMax: 1, waitingMax: waitingLists },
    overloaded: listsOverloaded,
  });
  return {
    /** As `Store.list`. */
    list: ({ asker, ...query }: ListQuery) => {
      const untilMs = performance.now() + searchMs;
      const ask = () =>
        new Promise<ObjectPage | undefined>((resolve, reject) => {
          thread.ask(listing(query, untilMs, { resolve, reject }));
        });
      return slots.run(asker?.name, async () => await ask(), asker?.signal);
    },
    /** Checkpoints the WAL before all that waits. Rejects as SQLite failed, with its code. */
    checkpoint: () =>
      new Promise<void>((resolve, reject) => {
        thread.askFirst(checkpointing({ resolve, reject }));
      }),
    /** Rejects what is under way and what waits, and ends the thread. */
    close: thread.close,
  };
}

/** Makes a thread that is asked one thing after another. */
function createThread({ path, identity, limits, files }: ReaderOptions) {
  const waiting: Waiting[] = [];
  let isClosed = false;
  /** Set to 1 to end what the thread looks for. */
  const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  let thread: Worker | undefined;
  let asked: Waiting | undefined;
  /** Whether the thread has opened the file, and what lies there was looked at since. */
  let isSame = false;

  function start(): Worker {
    const workerData: ReaderData = { path, identity, limits, stop };
    const started = new Worker(file, { workerData, name: "lists" });
    let failure: unknown;
    started.on("message", answer);
    started.on("error", (error) => {
      failure = error;
    });
    started.on("exit", () => {
      thread = undefined;
      isSame = false;
      asked?.reject(new StoreUnavailable("The thread of the store has ended.", { cause: failure }));
      asked = undefined;
      askNext();
    });
    return started;
  }

  function answer(told: ThreadReply): void {
    try {
      if (!isSame) files.assertSame();
      isSame = true;
      asked?.answer(told);
    } catch (error) {
      asked?.reject(error);
    }
    asked = undefined;
    askNext();
  }

  /** One question at a time, so that what comes too late is never begun. */
  function askNext(): void {
    while (asked === undefined) {
      const next = waiting.shift();
      if (next === undefined) break;
      const question = next.question();
      if (question === undefined) continue;
      asked = next;
      thread ??= start();
      thread.postMessage(question);
    }
    // A process that waits for nothing else may end.
    if (asked === undefined) thread?.unref();
    else thread?.ref();
  }

  return {
    ask: (question: Waiting) => {
      if (isClosed) return question.reject(new StoreUnavailable("The store is closed."));
      waiting.push(question);
      askNext();
    },
    /** Before all that waits. */
    askFirst: (question: Waiting) => {
      waiting.unshift(question);
      askNext();
    },
    close: async () => {
      isClosed = true;
      for (const { reject } of waiting.splice(0)) {
        reject(new StoreUnavailable("The store is closed."));
      }
      if (thread === undefined) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      thread.once("exit", () => resolve());
      Atomics.store(stop, 0, 1);
      thread.ref();
      thread.postMessage("end");
      await promise;
    },
  };
}

type Settle<T> = Pick<PromiseWithResolvers<T>, "resolve" | "reject">;

function listing(
  query: ListQuery,
  untilMs: number,
  { resolve, reject }: Settle<ObjectPage | undefined>,
): Waiting {
  return {
    question: () => {
      const leftMs = untilMs - performance.now();
      if (leftMs > 0) return { query, leftMs };
      resolve(undefined);
      return undefined;
    },
    answer: (told) => resolve(pageOf(told)),
    reject,
  };
}

function checkpointing({ resolve, reject }: Settle<void>): Waiting {
  return {
    question: () => "checkpoint",
    answer: ({ checkpointed: code = "" }) => {
      if (code !== "") throw Object.assign(new Error("The checkpoint failed."), { code });
      resolve();
    },
    reject,
  };
}

/** The page that the thread answers; throws what it says went wrong. */
function pageOf({ page, unavailable, forged, failed }: ThreadReply): ObjectPage | undefined {
  if (forged !== undefined) throw new Forged(forged.message, forged.where);
  if (unavailable !== undefined) throw new StoreUnavailable(unavailable);
  if (failed !== undefined) throw failed;
  return page;
}

interface Waiting {
  /** What the thread is asked; undefined where that was answered without it, since it is late. */
  readonly question: () => Question | "checkpoint" | undefined;
  /** Takes the answer of the thread; throws what that says went wrong. */
  readonly answer: (told: ThreadReply) => void;
  readonly reject: (error: unknown) => void;
}
