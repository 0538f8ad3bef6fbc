import { ObjectForged } from "../chain/state.ts";
import { type StoreLog, StoreUnavailable } from "../store.ts";

/** Forged rows that are remembered as told; past that, they are told again. */
const toldMax = 1_000;

/** Tells operators of what only somebody does who writes to the file past the service. */
export interface Alarm {
  /** Runs the work. What it fails with is told once, if it is of that kind: others go on asking. */
  watch<T>(work: () => Promise<T>): Promise<T>;
  /** Says that the log could be written, so that the next time it cannot is told again. */
  calm(): void;
}

/** Makes the alarm of one store. */
export function createAlarm(log: StoreLog): Alarm {
  const told = new Set<string>();
  const tell = (what: string, members: object, sentence: string) => {
    if (told.has(what)) return;
    if (told.size >= toldMax) told.clear();
    told.add(what);
    log.fatal(members, sentence);
  };
  const history = "the history";
  return {
    async watch(work) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof ObjectForged) {
          const { stream, message } = error;
          tell(stream, { stream }, message);
        } else if (error instanceof StoreUnavailable && error.reason === "HISTORY_CHANGED") {
          const { reason, message } = error;
          tell(history, { reason }, `nothing is written: ${message}`);
        }
        throw error;
      }
    },
    calm: () => void told.delete(history),
  };
}
