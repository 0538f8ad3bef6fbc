import type Database from "better-sqlite3";
import type { Sql } from "../sql.ts";
import { sql } from "../sql.ts";

/** Rows that a query looks at, on average, between two questions of whether it may go on. */
export const paceRows = 127;

/**
 * A condition that is always true and stops the query when it may not go on. It comes first among
 * those on rows with a `first`, so that it is asked of rows that meet no other.
 *
 * The call of a function costs more than a row does, so only one row in `paceRows` asks: by a
 * prime, for positions of objects that were made alike keep equal distances.
 */
export const inPace: Sql = sql`iif(first % ${paceRows}, TRUE, may_go_on())`;

/**
 * Does work on a connection while it may go on, which is asked before it begins; undefined where
 * that has ended before the work.
 */
export type Paced = <T>(mayGoOn: () => boolean, work: () => T) => T | undefined;

/** Makes what `inPace` asks in queries of the connection. */
export function preparePace(db: Database.Database): Paced {
  const stopped = new Error("the query may not go on");
  let mayStillGoOn = () => true;
  db.function("may_go_on", () => {
    if (mayStillGoOn()) return 1;
    throw stopped;
  });
  return (mayGoOn, work) => {
    mayStillGoOn = mayGoOn;
    if (!mayGoOn()) return undefined;
    try {
      return work();
    } catch (error) {
      if (error === stopped) return undefined;
      throw error;
    }
  };
}
