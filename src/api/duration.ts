import { create } from "@bufbuild/protobuf";
import { type Duration, DurationSchema } from "@bufbuild/protobuf/wkt";

/** A duration in nanoseconds; past 104 days the number loses digits, far past every limit here. */
export function toNanos({ seconds, nanos }: Duration): number {
  return Number(seconds) * 1e9 + nanos;
}

/** Nanoseconds as a duration. */
export function toDuration(nanos: number): Duration {
  return create(DurationSchema, { seconds: BigInt(Math.floor(nanos / 1e9)), nanos: nanos % 1e9 });
}
