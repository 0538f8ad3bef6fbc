import type { AbusePlace } from "./place.ts";
import type { Pace } from "./wire.ts";

/** One way to make the service do, or hold, more than it should. */
export interface Attack {
  /** Steps that are begun in a second at most, so that who abuses does not need a core. */
  readonly perSecond: number;
  /** Ends when its pace does. */
  readonly run: (place: AbusePlace, pace: Pace) => Promise<void>;
}
