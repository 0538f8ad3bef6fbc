import type { Writable } from "node:stream";

/** Looks at what waits for peers, and cuts off those that take none of it. */
export interface WriteTimeout {
  /**
   * Calls `cut` when the peer has taken nothing of what waits for it in all the time that it has,
   * and again after each such time. A stream with nothing to write is never cut. What this answers
   * ends the watch, and is called when the stream is closed.
   */
  watch(writable: Writable, cut: () => void): () => void;
  /** Stops looking: no callback comes any more. */
  end(): void;
}

/** How many looks divide the time that a peer has: a cut comes late by at most one of them. */
const looks = 4;

/** One timer for all connections and streams: one for each would cost more than most calls. */
export function createWriteTimeout(timeoutMs: number): WriteTimeout {
  const watched = new Map<Writable, Watched>();
  const timer = setInterval(() => {
    for (const [writable, state] of watched) {
      // An answer that has ended is out only when its stream is closed, and then watched no more.
      const waits = writable.writableLength > 0 || writable.writableEnded;
      state.seen = waits ? state.seen + 1 : 0;
      if (state.seen <= looks) continue;
      state.seen = 1;
      state.cut();
    }
  }, timeoutMs / looks);
  timer.unref();
  return {
    watch(writable, cut) {
      const state = { seen: 0, cut };
      watched.set(writable, state);
      const taken = (done: Done): Done => {
        return (error) => {
          state.seen = 0;
          done(error);
        };
      };
      // Only here does it show that the peer has taken some of it, and not just that all is gone.
      const { _write: write, _writev: writev } = writable;
      writable._write = (chunk, encoding, done) => {
        write.call(writable, chunk, encoding, taken(done));
      };
      if (writev) {
        writable._writev = (chunks, done) => writev.call(writable, chunks, taken(done));
      }
      return () => void watched.delete(writable);
    },
    end: () => clearInterval(timer),
  };
}

type Done = (error?: Error | null) => void;

interface Watched {
  /** Looks in a row at which something waited, since the peer took something. */
  seen: number;
  readonly cut: () => void;
}
