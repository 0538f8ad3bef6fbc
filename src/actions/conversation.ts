import type { Worker } from "node:worker_threads";
import { type Ask, failedAnswer } from "./http.ts";
import type { Asked, Job, Told } from "./machine.ts";
import { signs } from "./signs.ts";

/** What is said of one job, between this process and the thread that runs it. */
export interface Conversation {
  /** What the thread tells when the job has ended. */
  readonly told: Promise<Told>;
  /** Takes what the thread says. */
  take(said: Told | Asked): void;
  /** Has the thread begin. Where nobody waits any more, it is told to stop, and so is `onStop`. */
  begin(job: Job, onStop: () => void): void;
  close(): void;
}

/** Who waits for the job, and whom it may ask. */
export interface ConversationOptions {
  /** Ends the job when nobody waits for it any more. */
  readonly signal?: AbortSignal | undefined;
  /** Makes what answers the script's questions to hosts, where it may ask some. */
  readonly makeAsk?: ((signal: AbortSignal) => Ask) | undefined;
}

/** Opens it with a thread that has these signs: see `signs`. */
export function openConversation(
  worker: Worker,
  shared: SharedArrayBuffer,
  { signal, makeAsk }: ConversationOptions,
): Conversation {
  const given = new Int32Array(shared);
  const told = Promise.withResolvers<Told>();
  const over = new AbortController();
  const ask = makeAsk?.(over.signal);

  /** Lets the thread go on if it waits for an answer. */
  function give(): void {
    Atomics.store(given, signs.isAnswered, 1);
    Atomics.notify(given, signs.isAnswered);
  }

  async function answer(asked: string): Promise<void> {
    // What nobody catches would end the process.
    const text = await ask?.(asked).catch(() => failedAnswer);
    if (text === undefined || over.signal.aborted) return;
    worker.postMessage(text);
    give();
  }

  return {
    told: told.promise,
    take(said) {
      if ("ask" in said) void answer(said.ask);
      else told.resolve(said);
    },
    begin(job, onStop) {
      Atomics.store(given, signs.isStopped, 0);
      worker.postMessage(job);
      const stop = () => {
        Atomics.store(given, signs.isStopped, 1);
        // Should it wait for an answer.
        give();
        onStop();
      };
      if (signal?.aborted) stop();
      else signal?.addEventListener("abort", stop, { once: true, signal: over.signal });
    },
    close: () => over.abort(),
  };
}
