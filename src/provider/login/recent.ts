/** How often something was done of late, by a key of who did it. */
export interface Recent {
  /** Counts one more of a key. */
  count(key: string): Counted;
}

export interface Counted {
  /** How many were counted for the key in the window that its first one opened, this one too. */
  readonly times: number;
  /** Takes this one back. */
  readonly takeBack: () => void;
}

interface RecentOptions {
  /** Milliseconds after which those of a key are forgotten, from the first of them on. */
  readonly windowMs: number;
  /** Keys that are remembered: of more, the first is forgotten. */
  readonly keysMax: number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export function createRecent({ windowMs, keysMax, now }: RecentOptions): Recent {
  /** Those whose window opened first come first. */
  const windows = new Map<string, { times: number; readonly untilMs: number }>();

  function open(key: string, nowMs: number) {
    windows.delete(key);
    const [first] = windows.keys();
    if (first !== undefined && windows.size >= keysMax) windows.delete(first);
    const opened = { times: 0, untilMs: nowMs + windowMs };
    windows.set(key, opened);
    return opened;
  }

  return {
    count(key) {
      const nowMs = now();
      const known = windows.get(key);
      const window = known !== undefined && nowMs < known.untilMs ? known : open(key, nowMs);
      window.times += 1;
      const takeBack = () => {
        window.times -= 1;
        if (window.times === 0 && windows.get(key) === window) windows.delete(key);
      };
      return { times: window.times, takeBack };
    },
  };
}
