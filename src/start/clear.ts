import { setImmediate as nextTurn } from "node:timers/promises";
import type { Logger } from "pino";
import { idOf } from "../domain/noun.ts";
import { org } from "../domain/org.ts";
import { endDependants } from "../domain/org-removal.ts";
import { dependantLimits, findDependants } from "../execute/dependants.ts";
import type { Execute } from "../execute/execute.ts";
import type { Store } from "../store/store.ts";

/** How what is left of removed organizations ends, a piece at a time. */
export const clearLimits = {
  /** Milliseconds between two turns; of several nodes, one has each. */
  everyMs: 60_000,
  /** Pieces of one turn, each of which is one append: `dependantLimits`. */
  pieces: 50,
} as const;

/** The actor of the events by which it ends. */
const actor = "removal";

interface ClearOptions {
  readonly store: Pick<Store, "search" | "list" | "holders"> & {
    readonly artifacts: Pick<Store["artifacts"], "write">;
  };
  readonly execute: Execute;
  readonly now: () => number;
  readonly limits?: { readonly atOnce?: number; readonly pieces?: number };
}

interface ClearingOptions extends ClearOptions {
  readonly log: Pick<Logger, "warn">;
  readonly everyMs?: number;
}

/**
 * Makes the function that does one turn, unless another node has one in the same minute. It finds the
 * removed organizations in the log, and ends what is left of each. Where it is cut off, the next turn
 * finds the rest, of whichever process.
 */
export function createClearing({ store, execute, now, limits }: ClearOptions) {
  const { atOnce, pieces } = { ...dependantLimits, ...clearLimits, ...limits };
  /** Up to there nothing is left of what was removed. */
  let through = 0n;

  /** Ends one piece of what is left, and answers whether there was any. */
  async function end(organization: string): Promise<boolean> {
    const { dependants, writes, groups } = await findDependants(store, organization, atOnce);
    if (dependants.length === 0) return false;
    const outcome = await execute({
      ...{ actor, writes, groups },
      isForRemoved: true,
      decide: (states) => ({ events: endDependants(states, dependants, { organization }) }),
    });
    // What changed meanwhile is left to the next turn.
    return outcome.kind === "done";
  }

  return async (signal?: AbortSignal): Promise<void> => {
    const nowMs = now();
    const expiresMs = nowMs + clearLimits.everyMs;
    const turn = { kind: "count", key: "clear:turn", expiresMs } as const;
    const [uses] = await store.artifacts.write([turn], nowMs);
    if (uses !== 1) return;
    for (let left = pieces; ; await nextTurn()) {
      const page = await store.search({ after: through, types: ["org.removed"], limit: 1 });
      const [removed] = page.events;
      while (removed !== undefined && (await end(idOf(org, removed.stream)))) {
        left -= 1;
        if (left <= 0 || signal?.aborted) return;
        await nextTurn();
      }
      through = removed?.position ?? page.through;
      if (signal?.aborted || (removed === undefined && page.isEnd)) return;
    }
  };
}

/**
 * Does so at once and every minute, and answers what ends it after the piece that has begun; a
 * failure is logged, and tried again.
 */
export function startClearing({
  log,
  everyMs = clearLimits.everyMs,
  ...parts
}: ClearingOptions): () => Promise<void> {
  const clear = createClearing(parts);
  const ending = new AbortController();
  let clearing: Promise<void> | undefined;
  const begin = () => {
    clearing ??= clear(ending.signal)
      .catch((err: unknown) => log.warn({ err }, "a removed organization could not be cleared"))
      .finally(() => {
        clearing = undefined;
      });
  };
  begin();
  const timer = setInterval(begin, everyMs).unref();
  return async () => {
    clearInterval(timer);
    ending.abort();
    await clearing;
  };
}
