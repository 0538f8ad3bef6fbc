import type { EventQuery } from "./query.ts";
import { searchLimits } from "./query.ts";

/** The UTF-8 bytes of all payloads that one search may hold. */
export function payloadBytesOf({ payloadBytes = searchLimits.payloadBytes }: EventQuery): number {
  return Math.min(payloadBytes, searchLimits.payloadBytes);
}

/** The positions that one search looks at, both included. */
export interface Span {
  readonly lowest: bigint;
  readonly highest: bigint;
  /** What `through` says when nothing of this was looked at, and when all of it was. */
  readonly start: bigint;
  readonly through: bigint;
  /** Whether nothing that may match lies beyond it. */
  readonly isAll: boolean;
}

/** The positions that a search of a log which ends at the head looks at. */
export function spanOf({ after, before, descending, streams }: EventQuery, head: bigint): Span {
  const lowest = after + 1n;
  const highest = before === undefined || before > head ? head : before - 1n;
  // The events of some streams are found without a look at others.
  const isAll = streams !== undefined || highest - after <= searchLimits.positions;
  const most = BigInt(searchLimits.positions);
  if (descending) {
    const through = isAll ? lowest : highest + 1n - most;
    return { lowest: through, highest, start: highest + 1n, through, isAll };
  }
  // A position that the log has not reached yet stays the one to go on from.
  const through = isAll ? max(highest, after) : after + most;
  return { lowest, highest: isAll ? highest : through, start: after, through, isAll };
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
