/**
 * Makes a keyed lock that nobody holds: it lets pieces of work that share a key run one after
 * another, in the order they came.
 */
export function createLock() {
  /** Per key, the end of the latest work on it. */
  const ends = new Map<string, Promise<unknown>>();

  return {
    /** Runs the work when all earlier work on any of the keys is over; answers as the work does. */
    hold<Result>(keys: readonly string[], work: () => Promise<Result>): Promise<Result> {
      const before = keys.flatMap((key) => ends.get(key) ?? []);
      const result = before.length === 0 ? work() : Promise.all(before).then(work);
      // The next command waits for the end, not for success.
      const release = () => {
        for (const key of keys) if (ends.get(key) === end) ends.delete(key);
      };
      const end = result.then(release, release);
      for (const key of keys) ends.set(key, end);
      return result;
    },
  };
}
