import { hash, randomBytes } from "node:crypto";

/**
 * Sums over the rows that streams should have, less those that there are: what is left says where
 * some are missing, too many or others. Streams share them, so that they take the same memory
 * however long the log is.
 */
export interface Sums {
  /** A row that a stream should have, as a text that says all of it. */
  expect(stream: string, row: string): void;
  /** A row that is there. */
  find(stream: string, row: string): void;
  /** Whether there are the rows that should be, of each stream that has the sum of this one. */
  isEven(stream: string): boolean;
  /** Whether that is so of all. */
  isEvenAll(): boolean;
}

/** How many sums there are: 1 MiB of them. */
const count = 2 ** 17;

/**
 * Makes them. What is added up are 64 bits of a hash of the row with a random key that nobody else
 * ever knows: who changes rows cannot choose them so that the sum stays as it is.
 */
export function createSums(): Sums {
  const key = randomBytes(16).toString("hex");
  // Two of 32 bits each: typed arrays add these modulo 2^32.
  const sums = new Uint32Array(2 * count);
  const add = (stream: string, row: string, sign: 1 | -1) => {
    const digest = hash("sha256", `${key}${stream.length} ${stream}${row}`);
    const at = slotOf(stream);
    sums[at] = (sums[at] ?? 0) + sign * Number.parseInt(digest.slice(0, 8), 16);
    sums[at + 1] = (sums[at + 1] ?? 0) + sign * Number.parseInt(digest.slice(8, 16), 16);
  };
  return {
    expect: (stream, row) => add(stream, row, 1),
    find: (stream, row) => add(stream, row, -1),
    isEven: (stream) => sums[slotOf(stream)] === 0 && sums[slotOf(stream) + 1] === 0,
    isEvenAll: () => sums.every((sum) => sum === 0),
  };
}

/** Where the sum of a stream begins: which streams share one means nothing. */
function slotOf(stream: string): number {
  let slot = 0;
  for (let i = 0; i < stream.length; i += 1) {
    slot = (Math.imul(slot, 31) + stream.charCodeAt(i)) | 0;
  }
  return 2 * (slot & (count - 1));
}
