import { v7 } from "uuid";
import type { RandomBytes } from "../secrets/tokens.ts";

/** The bits of the number that tells ids of one millisecond apart. */
const seqMax = 2 ** 32 - 1;

/**
 * Makes ids (UUID version 7) of which each sorts after those before it, also within a millisecond
 * and while the clock is set back.
 */
export function createIds(now: () => number, random: RandomBytes): () => string {
  let lastMs = 0;
  let seq = 0;
  return () => {
    const nowMs = now();
    const bytes = random(16);
    if (nowMs > lastMs || seq === seqMax) {
      lastMs = Math.max(nowMs, lastMs + 1);
      // Half of the numbers are left for ids of the same millisecond.
      seq = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) >>> 1;
    } else {
      seq += 1;
    }
    return v7({ msecs: lastMs, seq, random: bytes });
  };
}
