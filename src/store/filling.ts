import type { BroughtEvent, End } from "./chain/chain.ts";
import type { LogKeys } from "./chain/keys.ts";
import type { LogCounts } from "./log-counts.ts";
import type { Asking } from "./message.ts";
import type { Progress } from "./progress.ts";
import type { Projector } from "./projector.ts";

/**
 * A place that gets the events of a log which lies elsewhere, as they were sealed. As long as it is
 * not done, nobody can open the log there; who begins anew goes on where it was cut off.
 */
export interface Filling {
  /** The id of the log that is there, done; undefined where none is, or none is done. */
  readonly id: string | undefined;
  /** The last event that is there; position 0 where there is none. */
  readonly end: End;
  /**
   * Adds events, which follow the last one, with the bytes that they name, and erases what they
   * erase of those before: that may have been read before it was erased. They are on disk when it
   * resolves. Rejects where somebody else has added some.
   */
  add(events: readonly BroughtEvent[]): Promise<void>;
  /** Makes what follows from the events, of a chain that holds, and lets the log be opened. */
  finish(finishing: Finishing): Promise<LogCounts>;
  close(): Promise<void>;
}

/** What is needed to make what follows from a log. */
export interface Finishing {
  /** The id of the log. */
  readonly id: string;
  readonly keys: LogKeys;
  readonly random: (size: number) => Uint8Array;
  readonly projector: Projector;
  /** By what quotas are counted anew. */
  readonly asking: Asking;
  readonly progress?: Progress | undefined;
}
