import { type End, isSame } from "../chain/chain.ts";
import { callersError } from "./errors.ts";
import type { Bound, Connection, Pool } from "./pool.ts";

/** The newest event that a process has seen of a log, be it that it wrote or read it. */
export interface Seen {
  /** Where the log has to go on from. */
  end(): End;
  /**
   * Takes up an event; one that is older than the newest changes nothing. One that came with a
   * comparison, of the event at `asked`, counts only where that is the newest still: else the log
   * that it is of may lack what was seen meanwhile.
   */
  note(end: End, asked?: bigint): void;
  /**
   * Compares an end that was seen with the link that the log has there. As long as it has another,
   * or none, nothing takes its place: what is read may be of a server that took over without it.
   */
  compare(end: End, found: Uint8Array | null): void;
  /** Whether the log had it when that was looked at last. */
  isKept(): boolean;
}

/** Begins at an end of the log. */
export function createSeen(begin: End): Seen {
  let newest = begin;
  let isKept = true;
  return {
    end: () => newest,
    note: ({ position, link }, asked = newest.position) => {
      const isBehind = position > newest.position && asked === newest.position;
      if (isKept && isBehind) newest = { position, link };
    },
    compare: ({ position, link }, found) => {
      const isThere = position === 0n || (found !== null && isSame(found, link));
      // What is lost has all behind it lost as well; what is there says nothing of that.
      if (!isThere || position === newest.position) isKept = isThere;
    },
    isKept: () => isKept,
  };
}

/** What comes with each row: the position of the newest event, and the link that is there. */
export interface Compared {
  readonly asked: bigint;
  readonly kept: Uint8Array | null;
}

/**
 * Makes the connection for all from which an end is taken up. A row that it answers comes with a
 * comparison of what was seen, as of the moment of the statement: so another log is known as such
 * before anything of it takes the place of what was seen. Rejects as `Pool.query` does.
 */
export function lookingBack(pool: Pool, seen: Seen) {
  return {
    query: async <Row extends object>(text: string, values: readonly Bound[] = []) => {
      let asked = seen.end();
      const ask = (connection: Connection) => {
        // Not before there is a connection: while it is waited for, another server may take over.
        asked = seen.end();
        const at = `$${values.length + 1}::bigint`;
        return connection.query<Row & Compared>(
          `SELECT r.*, ${at} AS asked,
               (SELECT link FROM iam.events WHERE position = ${at}) AS kept
             FROM (${text}) AS r`,
          [...values, asked.position],
        );
      };
      const rows = await pool.using(ask).catch((error) => {
        throw callersError(error);
      });
      const [row] = rows;
      if (row !== undefined) seen.compare(asked, row.kept);
      return rows;
    },
  };
}
