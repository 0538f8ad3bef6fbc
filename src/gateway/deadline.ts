/** What a timer of Node can wait for, 24 days: with more it rings at once. */
const timerMsMax = 2 ** 31 - 1;

const unitMs: { readonly [unit: string]: number } = { H: 3_600_000, M: 60_000, S: 1_000 };

/** Removes a deadline that lies past all timers, which no call lives to see. */
export function removeFarDeadline(header: Headers): Headers {
  if (!header.has("grpc-timeout") && !header.has("connect-timeout-ms")) return header;
  const grpc = /^(\d{1,8})([HMS])$/.exec(header.get("grpc-timeout") ?? "");
  const connect = /^\d{1,10}$/.exec(header.get("connect-timeout-ms") ?? "");
  const near = new Headers(header);
  if (Number(grpc?.[1]) * (unitMs[grpc?.[2] ?? ""] ?? 0) > timerMsMax) near.delete("grpc-timeout");
  if (Number(connect?.[0]) > timerMsMax) near.delete("connect-timeout-ms");
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
