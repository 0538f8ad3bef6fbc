import type { Peer } from "./peer.ts";

/** How many of a kind there may be at a time. */
export interface ShareLimits {
  readonly all: number;
  readonly ofConnection: number;
  readonly ofAddress: number;
}

/** Counts what peers hold of something, so that nobody takes all of it. */
export interface Shares {
  /** Takes one more; answers what gives it back, or undefined where that would be too many. */
  take(peer: Peer): (() => void) | undefined;
}

export function createShares({ all, ofConnection, ofAddress }: ShareLimits): Shares {
  let taken = 0;
  const connections = createCounts<object>();
  const addresses = createCounts<string>();
  return {
    take({ connection, address }) {
      const isFull =
        taken >= all ||
        connections.of(connection) >= ofConnection ||
        addresses.of(address) >= ofAddress;
      if (isFull) return undefined;
      let isHeld = true;
      const count = (difference: 1 | -1) => {
        taken += difference;
        connections.add(connection, difference);
        addresses.add(address, difference);
      };
      count(1);
      return () => {
        if (isHeld) count(-1);
        isHeld = false;
      };
    },
  };
}

/** Numbers by key; what has no key is not counted. */
function createCounts<Key>() {
  const counts = new Map<Key, number>();
  const of = (key: Key | undefined) => (key === undefined ? 0 : (counts.get(key) ?? 0));
  return {
    of,
    add(key: Key | undefined, difference: 1 | -1) {
      if (key === undefined) return;
      const count = of(key) + difference;
      if (count === 0) counts.delete(key);
      else counts.set(key, count);
    },
  };
}
