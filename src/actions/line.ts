import { createShares, createSlots } from "../slots.ts";
import type { SandboxLimits } from "./limits.ts";

/** Who wants to run something. */
interface Runner {
  readonly organization: string;
  /** Whether the thread that is kept is for it, too. */
  readonly isPrompt: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Where runs wait for a thread, each organization in a line of its own first. */
export function createLine({ threads, waiting, waitingOfOrganization, waitMs }: SandboxLimits) {
  const full = new Error("too many runs wait");
  const overloaded = () => full;
  const shares = createShares({
    concurrentMax: Math.max(1, Math.floor(threads / 2)),
    waitingMax: waitingOfOrganization,
    overloaded,
  });
  const slots = createSlots({ concurrentMax: threads, waitingMax: waiting, overloaded });
  // One thread is kept from all that are not prompt, where two are left for them.
  const unkept = createSlots({
    concurrentMax: threads > 2 ? threads - 1 : threads,
    waitingMax: waiting,
    overloaded,
  });
  return {
    /** Undefined where it does not get its turn; rejects with the reason of the signal. */
    async run<Result>(
      { organization, isPrompt, signal: given }: Runner,
      work: () => Promise<Result>,
    ): Promise<Result | undefined> {
      const patience = new AbortController();
      const timer = setTimeout(() => patience.abort(full), waitMs);
      const begin = () => {
        clearTimeout(timer);
        return work();
      };
      const signal = given ? AbortSignal.any([patience.signal, given]) : patience.signal;
      const begun = () => slots.run(begin, signal);
      const turn = isPrompt ? begun : () => unkept.run(begun, signal);
      try {
        return await shares.run(organization, turn, signal);
      } catch (error) {
        if (error !== full) throw error;
        return undefined;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
