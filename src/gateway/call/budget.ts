/** Counts the bytes of request bodies that all calls together hold. */
export interface Budget {
  /** Creates the share of one call, which grows only within what all calls may hold. */
  lease(bytesMax: number): Lease;
}

/** The bytes that one call holds. */
export interface Lease {
  /**
   * Sets how many bytes the call holds. Answers false, and changes nothing, where that would be
   * more than before and more than there is room for. From now on it holds `leastBytes` at least.
   */
  hold(bytes: number, leastBytes?: number): boolean;
  /** Gives all bytes back: the lease holds nothing after that. */
  end(): void;
}

/** Creates the budget of one server. */
export function createBudget(): Budget {
  let used = 0;
  return {
    lease(bytesMax) {
      let held = 0;
      let least = 0;
      let over = false;
      const set = (bytes: number) => {
        used += bytes - held;
        held = bytes;
      };
      return {
        hold(given, leastBytes = least) {
          least = leastBytes;
          const bytes = Math.max(given, least);
          const fits = !over && (bytes <= held || used + bytes - held <= bytesMax);
          if (fits) set(bytes);
          return fits;
        },
        end() {
          set(0);
          over = true;
        },
      };
    },
  };
}
