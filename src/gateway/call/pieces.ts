/** Bytes that come one chunk after the other. */
export interface Pieces {
  /** How many there are. */
  readonly bytes: number;
  add(chunk: Uint8Array): void;
  /** All of them in one piece, which what is added later does not change. */
  join(): Buffer;
}

/** Bytes of what a chunk was cut from that it may keep in memory besides itself. */
const spareBytes = 4 * 1024;

/**
 * Collects bytes in no more than twice their memory and a little, however small the chunks are.
 * Each would be an object of its own, or keep what it was cut from, and a peer decides on both.
 * What comes in one chunk, as most bodies do, is not copied.
 */
export function createPieces(): Pieces {
  let kept: Buffer = Buffer.alloc(0);
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    add(chunk) {
      if (chunk.byteLength === 0) return;
      const needed = bytes + chunk.byteLength;
      if (bytes === 0 && !isSliver(chunk)) {
        kept = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      } else {
        if (needed > kept.byteLength) kept = grown(kept, bytes, needed);
        kept.set(chunk, bytes);
      }
      bytes = needed;
    },
    join: () => kept.subarray(0, bytes),
  };
}

/** Whether a chunk keeps more in memory than it is worth. */
function isSliver({ buffer, byteLength }: Uint8Array): boolean {
  return buffer.byteLength > 2 * byteLength + spareBytes;
}

/** A copy of the first bytes with room for more. */
function grown(from: Buffer, bytes: number, needed: number): Buffer {
  // Of its own: one from the pool would keep the pool.
  const to = Buffer.allocUnsafeSlow(bytes === 0 ? needed : Math.max(needed, 2 * bytes));
  from.copy(to, 0, 0, bytes);
  return to;
}

/** Bytes that are written at once: whether a peer takes some shows in what it takes whole. */
export const pieceBytesMax = 16 * 1024;
