import { Forged } from "./chain/forged.ts";
import type { StoreLog } from "./failure-log.ts";
import { OutcomeUnknown, StoreUnavailable } from "./store.ts";

/** Forged rows and events that are remembered as told; past that, they are told again. */
const toldMax = 1_000;

/** Tells operators of changes that only a writer outside of the service can make. */
export interface Alarm {
  /** Tells what was thrown, if it is of that kind: once, since others go on asking. */
  note(error: unknown): void;
  /** Says that the log could be written, so that the next time it cannot is told again. */
  calm(): void;
}

/** Makes the alarm of one store; `found` hears what was told of forged rows and events. */
export function createAlarm(
  log: Pick<StoreLog, "fatal">,
  found: (damage: string) => void = () => {},
): Alarm {
  const told = new Set<string>();
  const tell = (what: string, members: object, sentence: string) => {
    if (told.has(what)) return;
    if (told.size >= toldMax) told.clear();
    told.add(what);
    log.fatal(members, sentence);
  };
  const history = "history-changed";
  return {
    note(error) {
      const forged = forgedIn(error);
      if (forged !== undefined) {
        const { where, message } = forged;
        tell(JSON.stringify(where), where, message);
        found(message);
      } else if (error instanceof StoreUnavailable && error.why === history) {
        const { why, message } = error;
        tell(history, { why }, `nothing is written: ${message}`);
      }
    },
    calm: () => void told.delete(history),
  };
}

/** What was forged: the error says so itself, or is about a write and has that as its cause. */
function forgedIn(error: unknown): Forged | undefined {
  if (error instanceof Forged) return error;
  const isOurs = error instanceof StoreUnavailable || error instanceof OutcomeUnknown;
  const cause = isOurs ? error.cause : undefined;
  return cause instanceof Forged ? cause : undefined;
}
