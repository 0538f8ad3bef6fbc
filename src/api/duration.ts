import type { Duration } from "@bufbuild/protobuf/wkt";

/** A duration in nanoseconds; past 104 days the number loses digits, far past every limit here. */
export function nanosOf({ seconds, nanos }: Duration): number {
  return Number(seconds) * 1e9 + nanos;
}
