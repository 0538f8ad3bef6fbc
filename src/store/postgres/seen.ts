import type { End } from "../chain/chain.ts";

/** The newest event that a process has seen of a log, be it that it wrote or read it. */
export interface Seen {
  /** Where the log has to go on from. */
  end(): End;
  /** Takes up an event; one that is older than the newest changes nothing. */
  note(end: End): void;
  /**
   * Says whether the log has it. As long as it has not, none takes its place: what is read may be
   * of a server that took over without the end of the log.
   */
  keep(isThere: boolean): void;
  /** Whether the log had it when that was looked at last. */
  isKept(): boolean;
}

/** Begins at an end of the log. */
export function createSeen(begin: End): Seen {
  let newest = begin;
  let isKept = true;
  return {
    end: () => newest,
    note: ({ position, link }) => {
      if (isKept && position > newest.position) newest = { position, link };
    },
    keep: (isThere) => {
      isKept = isThere;
    },
    isKept: () => isKept,
  };
}
