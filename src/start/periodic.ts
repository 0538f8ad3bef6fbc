import type { Logger } from "pino";
import type { Store } from "../store/store.ts";

/** Work that is done a piece at a time, for as long as the service runs. */
export interface PeriodicOptions {
  /** A name that no other work has: of several nodes, one has the turn. */
  readonly name: string;
  /** Milliseconds between two pieces. */
  readonly everyMs: number;
  readonly store: { readonly artifacts: Pick<Store["artifacts"], "write"> };
  readonly now: () => number;
  readonly log: Pick<Logger, "warn">;
}

/** The same of some work that has a name, and a pace of its own. */
export type PieceOptions = Omit<PeriodicOptions, "name" | "everyMs"> & {
  readonly everyMs?: number;
};

/** Makes the function that does a piece, where no other node does one in the same time. */
export function createTurns(
  { name, everyMs, store, now }: Omit<PeriodicOptions, "log">,
  work: () => Promise<void>,
): () => Promise<void> {
  return async () => {
    const nowMs = now();
    const turn = { kind: "count", key: `${name}:turn`, expiresMs: nowMs + everyMs } as const;
    const [uses] = await store.artifacts.write([turn], nowMs);
    if (uses === 1) await work();
  };
}

/** Does so again and again, and answers what ends it. A failure is logged, and tried again. */
export function startPeriodic(
  { log, ...options }: PeriodicOptions,
  work: () => Promise<void>,
): () => Promise<void> {
  const takeTurn = createTurns(options, work);
  let working: Promise<void> | undefined;
  const timer = setInterval(() => {
    working ??= takeTurn()
      .catch((err: unknown) => log.warn({ work: options.name, err }, "periodic work failed"))
      .finally(() => {
        working = undefined;
      });
  }, options.everyMs).unref();
  return async () => {
    clearInterval(timer);
    await working;
  };
}
