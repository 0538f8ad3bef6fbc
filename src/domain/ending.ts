import { type Refusal, rejectFields } from "./decision.ts";

/** When something ends (Unix milliseconds); left out, it does not. */
export interface Ending {
  readonly expirationMs?: number;
}

/** Whether something has not ended. */
export function isCurrent({ expirationMs }: Ending, nowMs: number): boolean {
  return expirationMs === undefined || nowMs < expirationMs;
}

/** The refusal to make what has ended already, of a request that says when in `expiration_date`. */
export function refuseEnded(ending: Ending, nowMs: number): Refusal | undefined {
  if (isCurrent(ending, nowMs)) return undefined;
  return rejectFields([{ field: "expiration_date", description: "must lie in the future" }]);
}
