import { loginLimits } from "../../domain/user/state/login-limits.ts";
import type { Store } from "../../store/store.ts";

interface RingOptions {
  readonly store: Pick<Store, "artifacts">;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Where what strangers begin is kept: of too much the oldest goes. */
export interface Ring {
  /**
   * The family under which one more is kept. Resolves when what was kept there before is removed.
   */
  family(): Promise<string>;
  /** Says that nothing was kept in a family: what is refused is to turn no ring. */
  leave(family: string): void;
}

/** Parts of the ring. Each is emptied at once, when the ring comes round to it. */
export const ringFamilies = 500;

/** Milliseconds for which the turns are counted: for good. */
const turnsMs = 100 * 365 * 24 * 60 * 60_000;

/**
 * Makes the ring of all processes on a log. A process takes one part after the other for itself, so
 * that nearly all that is begun asks nothing of the store; each may have one that is not full.
 */
export function createRing({ store, now }: RingOptions): Ring {
  const { artifacts } = store;
  let family = "";
  let left = 0;
  let taking: Promise<void> | undefined;

  async function take(): Promise<void> {
    const nowMs = now();
    const count = { kind: "count", key: "begun:turn", isOnce: true } as const;
    const [turn = 0] = await artifacts.write([{ ...count, expiresMs: nowMs + turnsMs }], nowMs);
    family = `begun:${turn % ringFamilies}`;
    await artifacts.write([{ kind: "removeFamily", family }], nowMs);
    left = loginLimits.begun / ringFamilies;
  }

  return {
    async family() {
      while (left === 0) {
        taking ??= take().finally(() => {
          taking = undefined;
        });
        await taking;
      }
      left -= 1;
      return family;
    },
    leave(given) {
      if (given === family) left += 1;
    },
  };
}
