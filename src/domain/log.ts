import type { Claim, ObjectRow } from "../event.ts";
import { accept, type Decision } from "./decision.ts";
import { mustExist, type Noun, unknownEvent } from "./noun.ts";

/** The log itself: what makes its events provable, and what was decided about its history. */
export type LogEvent =
  | { readonly type: "log.begun"; readonly payload: Begun }
  | { readonly type: "log.key.sealed"; readonly payload: { readonly key: string } };

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
}

/** The log as its own events leave it. */
export interface LogState {
  readonly key: string;
  readonly publicKey: string;
}

/** The noun of the log. */
export const log: Noun<LogState, LogEvent> = {
  kind: "log",
  events: {
    "log.begun": "The log got its id and its key; what was there before was as it was found then",
    "log.key.sealed": "The key of the log was sealed anew, with another master key",
  },
  secrets: ["key"],
  evolve(state, event) {
    switch (event.type) {
      case "log.begun": {
        const { key, publicKey } = event.payload;
        return { key, publicKey };
      }
      case "log.key.sealed":
        return { ...mustExist(state), key: event.payload.key };
      default:
        return unknownEvent(event);
    }
  },
  claims: (): readonly Claim[] => [],
  row: (): Omit<ObjectRow, "kind"> => ({ parent: "", fields: {} }),
};

/** Records that the key of the log is sealed with another master key, where it is not yet. */
export function sealKey(
  state: LogState | undefined,
  { isCurrent, anew }: { isCurrent(sealed: string): boolean; anew(sealed: string): string },
): Decision<{ log?: readonly LogEvent[] }> {
  if (state === undefined || isCurrent(state.key)) return accept({});
  return accept({ log: [{ type: "log.key.sealed", payload: { key: anew(state.key) } }] });
}
