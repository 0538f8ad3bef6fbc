import type { End } from "../chain/chain.ts";

/** The newest event that a process has seen of a log, be it that it wrote or read it. */
export interface Seen {
  /** Where the log has to go on from. */
  end(): End;
  /** Takes up an event; one that is older than the newest changes nothing. */
  note(end: End): void;
}

/** Begins at an end of the log. */
export function createSeen(begin: End): Seen {
  let newest = begin;
  return {
    end: () => newest,
    note: ({ position, link }) => {
      if (position > newest.position) newest = { position, link };
    },
  };
}
