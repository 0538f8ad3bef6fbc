import type { Config } from "../config/config.ts";
import { idOf } from "../domain/noun.ts";
import { forgetLogins, forgottenTypes } from "../domain/user/login/forget.ts";
import { user } from "../domain/user/state/user.ts";
import type { Execute } from "../execute/execute.ts";
import { isErased } from "../store/erasure.ts";
import type { Store } from "../store/store.ts";
import { type PieceOptions, startPeriodic, type Work } from "./periodic.ts";

/** How what is old of logins is erased, a piece at a time. */
export const retainLimits = {
  /** Milliseconds between two pieces; of several nodes, one does each. */
  everyMs: 60_000,
  /** Searches of one piece, each of which looks at so many positions: `searchLimits`. */
  searches: 20,
  /** Events that one search answers. */
  events: 500,
} as const;

const dayMs = 24 * 60 * 60_000;

/** The actor of the events by which logins are forgotten. */
const actor = "retention";

interface RetainOptions {
  readonly store: Pick<Store, "search" | "versions">;
  readonly execute: Execute;
  readonly now: () => number;
  /** Whether the clock is reliable enough to erase by it, which cannot be undone. */
  readonly isSettled: () => boolean;
  /** Milliseconds for which logins are kept. */
  readonly retainMs: number;
}

type RetainingOptions = Omit<RetainOptions, "retainMs"> & PieceOptions;

/**
 * Makes the function that does one piece. It goes through the log from its beginning and then goes
 * on where it was, up to what is not old yet.
 */
export function createRetention(options: RetainOptions): Work {
  const { store, execute, now, isSettled, retainMs } = options;
  const { searches, events: limit } = retainLimits;
  /** What is known to be erased, or no login. */
  let through = 0n;

  /** Whether there may be more that is old, and it was not called off. */
  async function search(untilMs: number, signal?: AbortSignal): Promise<boolean> {
    const page = await store.search({ after: through, types: forgottenTypes, limit });
    const young = page.events.findIndex(({ timeMs }) => timeMs > untilMs);
    const old = young < 0 ? page.events : page.events.slice(0, young);
    const streams = new Set(old.filter((event) => !isErased(event)).map(({ stream }) => stream));
    for (const stream of streams) {
      if (signal?.aborted) return false;
      while (!(await forget(stream, untilMs)));
    }
    // Whatever is no login has been passed over, and needs not be looked at again.
    through = young < 0 ? page.through : (old.at(-1)?.position ?? through);
    return young < 0 && !page.isEnd && !signal?.aborted;
  }

  /** Whether it is done; else the stream went on meanwhile. */
  async function forget(stream: string, untilMs: number): Promise<boolean> {
    // It goes before the search: an event that forgets less than one before it would erase that,
    // and nothing would then account for what only the other had erased.
    const [version] = await store.versions([stream]);
    const newest = await findNewest(stream, untilMs);
    if (newest === undefined || isErased(newest)) return true;
    const { kind } = await execute({
      actor,
      writes: { user: { noun: user, id: idOf(user, stream), version } },
      decide: (states) => forgetLogins(states.user, newest.version),
    });
    return kind !== "conflict";
  }

  async function findNewest(stream: string, untilMs: number) {
    const last = { streams: [stream], types: forgottenTypes, descending: true, untilMs, limit: 1 };
    for (let before: bigint | undefined; ; ) {
      const page = await store.search({ ...last, after: 0n, ...(before && { before }) });
      if (page.events.length > 0 || page.isEnd) return page.events[0];
      before = page.through;
    }
  }

  return async (signal) => {
    if (!isSettled()) return;
    const untilMs = now() - retainMs;
    for (let left = searches; left > 0 && (await search(untilMs, signal)); ) left -= 1;
  };
}

/** Does so every minute where logins are not kept for ever, and answers what ends it. */
export function startRetaining(
  { retainLogins: days }: Pick<Config, "retainLogins">,
  { everyMs = retainLimits.everyMs, ...parts }: RetainingOptions,
): () => Promise<void> {
  if (days === undefined) return async () => {};
  const retain = createRetention({ ...parts, retainMs: days * dayMs });
  const mayBegin = parts.isSettled;
  return startPeriodic({ ...parts, mayBegin, name: "retain", everyMs }, retain);
}
