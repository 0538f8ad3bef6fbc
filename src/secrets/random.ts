import type { RandomBytes } from "./tokens.ts";

/** Bytes that are asked for at once. */
const blockBytes = 4_096;

/**
 * Gives random bytes out of blocks, since asking for each few of them costs more than what they are
 * for. No byte is given twice, and none is kept once it was given.
 */
export function createRandom(fill: RandomBytes): RandomBytes {
  let block: Uint8Array = new Uint8Array(0);
  let used = 0;
  return (size) => {
    if (size > blockBytes) return fill(size);
    if (used + size > block.byteLength) {
      block = fill(blockBytes);
      used = 0;
    }
    const given = new Uint8Array(block.subarray(used, used + size));
    block.fill(0, used, used + size);
    used += size;
    return given;
  };
}
