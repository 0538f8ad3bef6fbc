import { accept, type Decision } from "./decision.ts";
import { mustExist, type Noun, unknownEvent, unlisted } from "./noun.ts";

/** The log itself: what makes its events provable, and what was decided about its history. */
export type LogEvent =
  | { readonly type: "log.begun"; readonly payload: Begun }
  | { readonly type: "log.key.sealed"; readonly payload: { readonly key: string } }
  | { readonly type: "log.history.accepted"; readonly payload: Accepted }
  | { readonly type: "log.history.cut"; readonly payload: Cut };

interface Begun {
  /** The key of the MACs, sealed. */
  readonly key: string;
  /** What checks the signatures of checkpoints (PEM). */
  readonly publicKey: string;
  /**
   * The position of the last event that was there before (decimal): up to it, events are as they
   * were found when their checksums were checked. Left out where there was none.
   */
  readonly found?: string;
  /** A MAC over what was there, so that nothing else is chained in its place. */
  readonly foundMac?: string;
}

/** Positions in decimal, links in hexadecimal. */
interface Accepted {
  /** The end of the backup that the log continues. */
  readonly position: string;
  readonly link: string;
  /** Why it was not taken for the log that there was. */
  readonly fault: string;
}

/** Positions in decimal, links in hexadecimal. */
interface Cut {
  /** Up to there the log is what it was. */
  readonly position: string;
  readonly link: string;
  /** The end of what was left out. */
  readonly leftPosition: string;
  readonly leftLink: string;
  /** What was wrong with it. */
  readonly fault: string;
}

/** The log as its own events leave it. */
export interface LogState {
  readonly key: string;
  readonly publicKey: string;
}

/** The noun of the log. */
export const log: Noun<LogState, LogEvent> = {
  ...unlisted,
  kind: "log",
  events: {
    "log.begun": "The log got its id and its key; earlier events were taken as they were found",
    "log.history.accepted":
      "The operator accepted it as the continuation of a backup; later events of the old " +
      "log are lost",
    "log.history.cut":
      "The operator copied it up to a position; the later events were damaged and are left out",
    "log.key.sealed": "The key of the log was sealed again with another master key",
  },
  secrets: ["key"],
  evolve(state, event) {
    switch (event.type) {
      case "log.begun": {
        const { key, publicKey } = event.payload;
        return { key, publicKey };
      }
      case "log.history.accepted":
      case "log.history.cut":
        return mustExist(state);
      case "log.key.sealed":
        return { ...mustExist(state), key: event.payload.key };
      default:
        return unknownEvent(event);
    }
  },
};

/** Records that the operator takes a log for the one that there was, though something says no. */
export function acceptHistory(
  state: LogState | undefined,
  payload: Accepted,
): Decision<{ log?: readonly LogEvent[] }> {
  return accept(state === undefined ? {} : { log: [{ type: "log.history.accepted", payload }] });
}

/** Records that the key of the log is sealed with another master key, where it is not yet. */
export function sealKey(
  state: LogState | undefined,
  { isCurrent, anew }: { isCurrent(sealed: string): boolean; anew(sealed: string): string },
): Decision<{ log?: readonly LogEvent[] }> {
  if (state === undefined || isCurrent(state.key)) return accept({});
  return accept({ log: [{ type: "log.key.sealed", payload: { key: anew(state.key) } }] });
}
