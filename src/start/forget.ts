import type { Logger } from "pino";
import type { Store } from "../store/store.ts";

/** Milliseconds between two looks for remembered answers and artifacts whose time is over. */
export const forgetIntervalMs = 60_000;

/** Where they are kept, and what is looked for with. */
export interface ForgetOptions {
  readonly store: Pick<Store, "forgetAnswers"> & {
    readonly artifacts: Pick<Store["artifacts"], "forget">;
  };
  readonly now: () => number;
  readonly log: Pick<Logger, "warn">;
  /** Milliseconds between two looks, where not every minute. */
  readonly intervalMs?: number;
}

/**
 * Removes remembered answers with their secrets, and artifacts, every minute once their time is
 * over, and answers what ends it after the transaction that has begun; a failure is logged.
 */
export function startForgetting({
  store,
  now,
  log,
  intervalMs = forgetIntervalMs,
}: ForgetOptions): () => Promise<void> {
  let isEnding = false;
  let forgetting: Promise<void> | undefined;
  const forget = async () => {
    try {
      while (!isEnding && (await store.forgetAnswers(now())));
      while (!isEnding && (await store.artifacts.forget(now())));
    } catch (err) {
      log.warn({ err }, "expired rows could not be removed");
    }
    forgetting = undefined;
  };
  const timer = setInterval(() => {
    forgetting ??= forget();
  }, intervalMs).unref();
  return async () => {
    clearInterval(timer);
    isEnding = true;
    await forgetting;
  };
}
