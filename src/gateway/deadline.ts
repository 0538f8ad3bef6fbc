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

/** One promise for a whole call: a signal with its listeners would cost more than the work. */
export function createOver(): Over {
  const ended = Promise.withResolvers<never>();
  // Nobody may be waiting when the call ends.
  ended.promise.catch(() => {});
  return { end: ended.reject, unless: (work) => Promise.race([ended.promise, work]) };
}
