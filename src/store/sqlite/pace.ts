import { randomInt } from "node:crypto";
import type Database from "better-sqlite3";
import type { Sql } from "../sql.ts";
import { sql } from "../sql.ts";

/** Rows that a query looks at, on average, between two questions of whether it may go on. */
export const paceRows = 128;

/** What of a position is looked at: the product with the largest factor is an integer of SQLite. */
const positionMask = 2n ** 40n - 1n;
const factorBits = 22;
const shift = factorBits - Math.log2(paceRows);

/**
 * A condition that is always true and stops the query when it may not go on. It comes first among
 * those on rows with a `first`, so that it is asked of rows that meet no other.
 *
 * The call of a function costs more than a row does, so only one row in `paceRows` asks. Which ones
 * follows from their positions and from a factor that no caller knows: callers see positions, and
 * would else remove the rows that ask.
 */
export function paceBy(factor: number): Sql {
  // Numbers would be bound as REAL, and so would the product be.
  const mixed = sql`(first & ${positionMask}) * ${BigInt(factor)} >> ${BigInt(shift)}`;
  return sql`iif(${mixed} & ${BigInt(paceRows - 1)}, TRUE, may_go_on())`;
}

/**
 * A factor by which rows ask about as often as they should, whether objects were made in one, two
 * or up to eight events each.
 */
export function paceFactor(random: (min: number, max: number) => number): number {
  for (;;) {
    const factor = random(2 ** (factorBits - 1), 2 ** factorBits) | 1;
    if (distances.every((distance) => isEven(factor * distance))) return factor;
  }
}

const distances = [1, 2, 3, 4, 5, 6, 7, 8];

/** Whether of rows at one distance from each other about one in `paceRows` asks. */
function isEven(step: number): boolean {
  const expected = 8;
  let asking = 0;
  for (let row = 0; row < expected * paceRows; row += 1) {
    if (Math.floor((row * step) / 2 ** shift) % paceRows === 0) asking += 1;
  }
  return asking >= expected / 2 && asking <= 2 * expected;
}

/** As `paceBy`, with the factor of this process. */
export const inPace: Sql = paceBy(paceFactor(randomInt));

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
