import type { Form } from "../call/form.ts";

/** What a timer of Node can wait for, 24 days: with more it rings at once. */
export const timerMsMax = 2 ** 31 - 1;

/** Removes a deadline that lies past all timers, which no call lives to see. */
export function removeFarDeadline(header: Headers, { timeoutField, timeoutMs }: Form): Headers {
  const given = header.get(timeoutField);
  if (given === null || (timeoutMs(given) ?? 0) <= timerMsMax) return header;
  const near = new Headers(header);
  near.delete(timeoutField);
  return near;
}

/** What ends a call before its work is done. */
export interface EarlyEnd {
  /** Ends the call with an error; only the first one counts. */
  fail(error: unknown): void;
  /** What the work comes to, or the error if the call ends first; the work itself goes on. */
  race<T>(work: Promise<T>): Promise<T>;
}

/**
 * Creates the early end of one call: a signal with its listeners would cost more than the work.
 * Work that is done is forgotten, since a stream may await any number of things.
 */
export function createEarlyEnd(): EarlyEnd {
  const waiting = new Set<(error: unknown) => void>();
  let ended: { readonly error: unknown } | undefined;
  return {
    fail(error) {
      ended ??= { error };
      for (const reject of waiting) reject(ended.error);
      waiting.clear();
    },
    race: (work) =>
      new Promise((resolve, reject) => {
        const settle = (finish: () => void) => {
          waiting.delete(reject);
          finish();
        };
        work.then(
          (value) => settle(() => resolve(value)),
          (error) => settle(() => reject(error)),
        );
        if (ended !== undefined) reject(ended.error);
        else waiting.add(reject);
      }),
  };
}
