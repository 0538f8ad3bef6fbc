/** What is shared with a thread, as 32-bit numbers: 1 where it is so. */
export const signs = {
  /** Nobody waits for the run any more. */
  isStopped: 0,
  /** What it asked has been answered. */
  isAnswered: 1,
} as const;

/** Makes what is shared with a thread. */
export function makeSigns(): SharedArrayBuffer {
  return new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * Object.keys(signs).length);
}
