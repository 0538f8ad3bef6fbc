/** Bytes of request bodies that all calls together may hold. */
export interface Budget {
  /** The part of one call, which gets nothing that would take all calls past so many bytes. */
  lease(bytesMax: number): Lease;
}

export interface Lease {
  /** Whether the call may hold so many bytes from now on, in place of those that it held. */
  hold(bytes: number): boolean;
  /** Gives back what the call holds. It gets nothing after that, so no path gives back twice. */
  end(): void;
}

export function createBudget(): Budget {
  let used = 0;
  return {
    lease(bytesMax) {
      let held = 0;
      let over = false;
      const set = (bytes: number) => {
        used += bytes - held;
        held = bytes;
      };
      return {
        hold(bytes) {
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
