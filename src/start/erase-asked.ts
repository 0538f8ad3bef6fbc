import { idOf } from "../domain/noun.ts";
import { nextErasureStep } from "../domain/user/asked-erasure.ts";
import { announceErasure, eraseAsAsked } from "../domain/user/erasure-request.ts";
import { type UserState, user } from "../domain/user/user.ts";
import type { Execute } from "../execute/execute.ts";
import { userRemoval } from "../execute/user-removal.ts";
import type { Store } from "../store/store.ts";
import { type PieceOptions, startPeriodic } from "./periodic.ts";

/** How people are erased who have asked for it, a piece at a time. */
export const eraseAskedLimits = {
  /** Milliseconds between two pieces; of several nodes, one does each. */
  everyMs: 60_000,
  /** People of one piece. */
  people: 100,
} as const;

/** The actor of the events by which that is done. */
const actor = "erasure";

/** Somebody of whom something is due, in the version that is listed: another may put it off. */
interface Due {
  readonly userId: string;
  readonly owner: string;
  readonly version: number;
}

interface EraseAskedOptions {
  readonly store: Pick<Store, "list">;
  readonly execute: Execute;
  readonly now: () => number;
  readonly newId: () => string;
}

/** Makes the function that does what is due now, of those first who have waited longest. */
export function createEraseAsked({ store, execute, now, newId }: EraseAskedOptions) {
  const { people: limit } = eraseAskedLimits;

  async function announce({ userId, version }: Due): Promise<void> {
    await execute({
      actor,
      writes: { user: { noun: user, id: userId, version } },
      decide: (states, nowMs) => announceErasure(states.user, nowMs),
    });
  }

  async function erase(due: Due): Promise<void> {
    await execute({
      actor,
      ...userRemoval({ ...due, newId }),
      decide: (states, nowMs) => eraseAsAsked(states.user, due.userId, nowMs),
    });
  }

  return async (): Promise<void> => {
    const page = await store.list({ kind: user.kind, sortBy: "erasing", offset: 0, limit });
    for (const { stream, owner, version, state = "{}" } of page?.objects ?? []) {
      const { erasure }: Pick<UserState, "erasure"> = JSON.parse(state);
      if (erasure === undefined || nextErasureStep(erasure) > now()) return;
      const due = { userId: idOf(user, stream), owner, version };
      await (erasure.isAnnounced ? erase(due) : announce(due));
    }
  };
}

/** Does so every minute, and answers what ends it. */
export function startErasingAsked({
  everyMs = eraseAskedLimits.everyMs,
  ...parts
}: EraseAskedOptions & PieceOptions): () => Promise<void> {
  return startPeriodic({ ...parts, name: "erase", everyMs }, createEraseAsked(parts));
}
