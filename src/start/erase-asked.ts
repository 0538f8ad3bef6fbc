import { idOf } from "../domain/noun.ts";
import { announceErasure, eraseAsAsked } from "../domain/user/erasure-request.ts";
import { nextErasureStep } from "../domain/user/state/asked-erasure.ts";
import { type UserState, user } from "../domain/user/state/user.ts";
import type { Execute } from "../execute/execute.ts";
import { userRemoval } from "../execute/user-removal.ts";
import type { Store, StoredObject } from "../store/store.ts";
import { type PieceOptions, startPeriodic, type Work } from "./periodic.ts";

/** How people are erased who have asked for it, a piece at a time. */
export const eraseAskedLimits = {
  /** Milliseconds between two pieces; of several nodes, one does each. */
  everyMs: 60_000,
  /** People of one piece. */
  people: 100,
} as const;

/** The actor of the events by which that is done. */
const actor = "erasure";

interface EraseAskedOptions {
  readonly store: Pick<Store, "list">;
  readonly execute: Execute;
  readonly now: () => number;
  /** Whether the clock is reliable enough to erase by it, which cannot be undone. */
  readonly isSettled: () => boolean;
  readonly newId: () => string;
}

/** Makes the function that does what is due now, of those first who have waited longest. */
export function createEraseAsked(options: EraseAskedOptions): Work {
  const { store, execute, now, isSettled, newId } = options;
  const { people: limit } = eraseAskedLimits;

  async function announce({ stream, version }: StoredObject): Promise<void> {
    await execute({
      actor,
      // In the version that is listed: what has happened since may put it off.
      writes: { user: { noun: user, id: idOf(user, stream), version } },
      decide: (states, nowMs) => announceErasure(states.user, nowMs),
    });
  }

  async function erase({ stream, owner }: StoredObject): Promise<void> {
    const userId = idOf(user, stream);
    await execute({
      actor,
      ...userRemoval({ userId, owner, newId }),
      decide: (states, nowMs) => eraseAsAsked(states.user, userId, nowMs),
    });
  }

  return async (signal) => {
    const page = await store.list({ kind: user.kind, sortBy: "erasing", offset: 0, limit });
    for (const listed of page?.objects ?? []) {
      const { erasure }: Pick<UserState, "erasure"> = JSON.parse(listed.state ?? "{}");
      if (signal?.aborted) return;
      if (erasure === undefined || !isSettled() || nextErasureStep(erasure) > now()) return;
      await (erasure.isAnnounced ? erase(listed) : announce(listed));
    }
  };
}

/** Does so every minute, and answers what ends it. */
export function startErasingAsked({
  everyMs = eraseAskedLimits.everyMs,
  ...parts
}: EraseAskedOptions & PieceOptions): () => Promise<void> {
  const mayBegin = parts.isSettled;
  return startPeriodic({ ...parts, mayBegin, name: "erase", everyMs }, createEraseAsked(parts));
}
