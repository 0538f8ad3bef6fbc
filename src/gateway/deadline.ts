/** What a timer of Node can wait for, 24 days: with more it rings at once. */
const timerMsMax = 2 ** 31 - 1;

const unitMs: { readonly [unit: string]: number } = { H: 3_600_000, M: 60_000, S: 1_000 };

/** The header without a deadline that lies past all timers: no call lives to see it. */
export function withoutFarDeadline(header: Headers): Headers {
  if (!header.has("grpc-timeout") && !header.has("connect-timeout-ms")) return header;
  const grpc = /^(\d{1,8})([HMS])$/.exec(header.get("grpc-timeout") ?? "");
  const connect = /^\d{1,10}$/.exec(header.get("connect-timeout-ms") ?? "");
  const near = new Headers(header);
  if (Number(grpc?.[1]) * (unitMs[grpc?.[2] ?? ""] ?? 0) > timerMsMax) near.delete("grpc-timeout");
  if (Number(connect?.[0]) > timerMsMax) near.delete("connect-timeout-ms");
  return near;
}

/** The early end of a call: whatever is awaited for it gives way to the error that ended it. */
export interface Over {
  end(error: unknown): void;
  /** What the work comes to, or the error if the call ends first; the work itself goes on. */
  unless<T>(work: Promise<T>): Promise<T>;
}

/**
 * One for a whole call: a signal with its listeners would cost more than the work. What is awaited
 * is forgotten when it is there, since a stream may await any number of things.
 */
export function createOver(): Over {
  const waiting = new Set<(error: unknown) => void>();
  let ended: { readonly error: unknown } | undefined;
  return {
    end(error) {
      ended ??= { error };
      for (const reject of waiting) reject(ended.error);
      waiting.clear();
    },
    unless: (work) =>
      new Promise((resolve, reject) => {
        const settled = (settle: () => void) => {
          waiting.delete(reject);
          settle();
        };
        work.then(
          (value) => settled(() => resolve(value)),
          (error) => settled(() => reject(error)),
        );
        if (ended !== undefined) reject(ended.error);
        else waiting.add(reject);
      }),
  };
}
