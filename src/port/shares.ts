import { type Peer, widerNetworksOf } from "./peer.ts";

/** How many of a kind there may be at a time. */
export interface ShareLimits {
  readonly all: number;
  readonly ofConnection: number;
  readonly ofAddress: number;
  /** Of a /56 of IPv6, which is what many subscribers have. */
  readonly ofSubscriber: number;
  /** Of a /48 of IPv6, which is what a site may have. */
  readonly ofSite: number;
}

/** Counts what peers hold of something, so that nobody takes all of it. */
export interface Shares {
  /** Takes one more; answers what gives it back, or undefined where that would be too many. */
  take(peer: Peer): (() => void) | undefined;
}

export function createShares(limits: ShareLimits): Shares {
  const counts = new Map<unknown, number>();
  return {
    take(peer) {
      const held = groupsOf(peer, limits);
      if (held.some(([key, max]) => (counts.get(key) ?? 0) >= max)) return undefined;
      let isHeld = true;
      const count = (difference: 1 | -1) => {
        for (const [key] of held) {
          const held = (counts.get(key) ?? 0) + difference;
          if (held === 0) counts.delete(key);
          else counts.set(key, held);
        }
      };
      count(1);
      return () => {
        if (isHeld) count(-1);
        isHeld = false;
      };
    },
  };
}

/** What waits for its peers, of whom the one goes that has waited the longest. */
export interface Waiting {
  /**
   * Waits for a peer in so many places, until what this answers is called. Where too many are
   * taken, by the peer or in all, the oldest are cut off. One alone may take more.
   */
  join(peer: Peer, cut: () => void, places?: number): () => void;
}

export function createWaiting(limits: ShareLimits): Waiting {
  /** What cuts each of those who wait, the oldest first, and how many places they take. */
  const groups = new Map<unknown, { readonly cuts: Set<() => void>; places: number }>();
  return {
    join(peer, cut, places = 1) {
      const held = groupsOf(peer, limits);
      for (const [key, max] of held) {
        const group = groups.get(key);
        for (const oldest of group?.cuts ?? []) {
          if (group === undefined || group.places + places <= max) break;
          oldest();
        }
      }
      const leave = () => {
        for (const [key] of held) {
          const group = groups.get(key);
          if (!group?.cuts.delete(end)) continue;
          group.places -= places;
          if (group.cuts.size === 0) groups.delete(key);
        }
      };
      const end = () => {
        leave();
        cut();
      };
      for (const [key] of held) {
        const group = groups.get(key) ?? { cuts: new Set(), places: 0 };
        group.cuts.add(end);
        group.places += places;
        groups.set(key, group);
      }
      return leave;
    },
  };
}

const all = Symbol("all");

/** Whom a peer counts for, and how many each of them may have; the narrowest come first. */
function groupsOf(
  { connection, address }: Peer,
  limits: ShareLimits,
): readonly (readonly [key: unknown, max: number])[] {
  const [subscriber, site] = address === undefined ? [] : widerNetworksOf(address);
  const held = [
    [connection, limits.ofConnection],
    [address, limits.ofAddress],
    [subscriber, limits.ofSubscriber],
    [site, limits.ofSite],
    [all, limits.all],
  ] as const;
  return held.filter(([key]) => key !== undefined);
}
