import type { Timestamp } from "@bufbuild/protobuf/wkt";

/** A time in whole Unix milliseconds, rounded down: nothing lasts longer than was asked for. */
export function toWholeMs({ seconds, nanos }: Timestamp): number {
  return Number(seconds) * 1_000 + Math.floor(nanos / 1_000_000);
}
