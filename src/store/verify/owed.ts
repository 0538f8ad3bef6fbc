/**
 * How many rows were found of each object, by where it begins, that have not been met again. It
 * takes four bytes for each event of the log.
 */
export interface Owed {
  /** Whether it counts for an object that begins there. */
  knows(first: bigint): boolean;
  found(first: bigint, rows: number): void;
  /** That another row was met. */
  met(first: bigint): void;
  /** Whether as many were met as were found. */
  isEven(first: bigint): boolean;
  /** Whether that is so of all. */
  isEvenAll(): boolean;
}

/** Makes it for a log of so many events. */
export function createOwed(events: number): Owed {
  const rows = new Int32Array(events + 1);
  const knows = (first: bigint) => first > 0n && first <= BigInt(events);
  const add = (first: bigint, count: number) => {
    if (knows(first)) rows[Number(first)] = (rows[Number(first)] ?? 0) + count;
  };
  return {
    knows,
    found: add,
    met: (first) => add(first, -1),
    isEven: (first) => rows[Number(first)] === 0,
    isEvenAll: () => rows.every((count) => count === 0),
  };
}
