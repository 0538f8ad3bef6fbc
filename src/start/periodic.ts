import type { Logger } from "pino";
import type { Store } from "../store/store.ts";

/** Work that is done a piece at a time, for as long as the service runs. */
export interface PeriodicOptions {
  /** A name that no other work has: of several nodes, one has the turn. */
  readonly name: string;
  /** Milliseconds between two pieces. */
  readonly everyMs: number;
  /** Whether it is done at the start, too, and another node may go on as soon as it is done. */
  readonly isUrgent?: boolean;
  /** Whether this node may do it now, so that it takes no turn in vain; left out, it always may. */
  readonly mayBegin?: () => boolean;
  readonly store: { readonly artifacts: Pick<Store["artifacts"], "write"> };
  readonly now: () => number;
  readonly log: Pick<Logger, "warn">;
}

/** The same of some work that has a name, and a pace of its own. */
export type PieceOptions = Omit<PeriodicOptions, "name" | "everyMs"> & {
  readonly everyMs?: number;
};

/** Does a piece, of which it does no more than it has begun where it is called off. */
export type Work = (signal?: AbortSignal) => Promise<void>;

/** Makes the function that does a piece, where no other node does one in the same time. */
export function createTurns(
  { name, everyMs, isUrgent, mayBegin, store, now }: Omit<PeriodicOptions, "log">,
  work: Work,
): Work {
  const { artifacts } = store;
  return async (signal) => {
    if (mayBegin?.() === false) return;
    const nowMs = now();
    const key = `${name}:turn`;
    const turn = { kind: "count", key, expiresMs: nowMs + everyMs } as const;
    const [uses] = await artifacts.write([turn], nowMs);
    if (uses !== 1) return;
    try {
      await work(signal);
    } finally {
      if (isUrgent) await artifacts.write([{ kind: "remove", key }], now());
    }
  };
}

/** Does so again and again, and answers what ends it. A failure is logged, and tried again. */
export function startPeriodic(
  { log, ...options }: PeriodicOptions,
  work: Work,
): () => Promise<void> {
  const takeTurn = createTurns(options, work);
  const ending = new AbortController();
  let working: Promise<void> | undefined;
  const begin = () => {
    working ??= takeTurn(ending.signal)
      .catch((err: unknown) => log.warn({ work: options.name, err }, "periodic work failed"))
      .finally(() => {
        working = undefined;
      });
  };
  if (options.isUrgent) begin();
  const timer = setInterval(begin, options.everyMs).unref();
  return async () => {
    clearInterval(timer);
    ending.abort();
    await working;
  };
}
