import type Database from "better-sqlite3";
import type { Claim, ClaimsWithin } from "../../event.ts";
import { afterPrefix } from "../filter.ts";
import type { Holders } from "../store.ts";
import { claimRow, listOf, type TextRow, textKey, tieOf } from "../texts.ts";
import { bound, preparePerCount, prepareValues } from "./sql.ts";

/** Finds and writes texts. */
export interface Texts {
  /** The streams that hold the claims, in their order. */
  holdersOf(claims: readonly Claim[]): readonly (string | null)[];
  /** How many streams hold claims of a group. */
  tallyOf(claims: ClaimsWithin): number;
  /** Which streams these are. */
  holdersIn(claims: ClaimsWithin, limit: number): Holders;
  /** Removes rows of the object that begins there, and leaves what others say in their place. */
  remove(first: bigint, rows: readonly TextRow[]): void;
  /** Adds rows to those of the object that begins there. */
  add(first: bigint, rows: readonly TextRow[]): void;
  /** Adds the rows of an object that has none. */
  addNew(first: bigint, rows: readonly TextRow[]): void;
}

/** The number of the list with a kind, a name and a parent. */
const numberOfList = "(SELECT number FROM lists WHERE kind = ? AND name = ? AND parent = ?)";

/** Prepares the statements of a connection. */
export function prepareTexts(db: Database.Database): Texts {
  const byKey = `list = ${numberOfList} AND text = ?`;
  const drop = db.prepare(`DELETE FROM texts WHERE ${byKey} AND tie = ? AND first = ?`);
  const setListed = db.prepare(
    `UPDATE texts SET listed = ? WHERE ${byKey} AND tie = 0 AND first = ? AND listed = ?`,
  );
  const addNew = prepareAdd(db);
  return {
    ...prepareHolders(db),
    remove: (first, rows) => {
      for (const row of rows) {
        const isClaimToo = !row.isClaim && setListed.run(0, ...textKey(row), first, 1).changes > 0;
        if (!isClaimToo) drop.run(...textKey(row), tieOf(first, row), first);
      }
    },
    add: (first, rows) => {
      for (const row of rows) {
        const isClaimToo = !row.isClaim && setListed.run(1, ...textKey(row), first, 0).changes > 0;
        if (!isClaimToo) addNew(first, [row]);
      }
    },
    addNew,
  };
}

/** Prepares those that look for who holds claims. */
function prepareHolders(db: Database.Database): Pick<Texts, "holdersOf" | "tallyOf" | "holdersIn"> {
  const holders = prepareValues<string | null>(
    db,
    `(SELECT e.stream FROM lists AS l
        CROSS JOIN texts AS t ON t.list = l.number
        CROSS JOIN events AS e ON e.position = t.first
        WHERE l.kind = ${bound} AND l.name = ${bound} AND l.parent = ${bound}
          AND t.text = ${bound} AND t.tie = 0)`,
  );
  const within = `list = ${numberOfList} AND text >= ? AND text < ? AND tie = 0`;
  const tally = db
    .prepare<unknown[], number>(`SELECT count(DISTINCT first) FROM texts WHERE ${within}`)
    .pluck();
  const streams = db
    .prepare<unknown[], string>(
      `SELECT e.stream FROM
         (SELECT DISTINCT first FROM texts WHERE ${within} ORDER BY first LIMIT ${bound}) AS t
         CROSS JOIN events AS e ON e.position = t.first ORDER BY t.first`,
    )
    .pluck();
  const valuesOf = ({ prefix = "", ...group }: ClaimsWithin) => {
    const { kind, name, parent } = listOf(group);
    // For SQLite all texts are below all bytes.
    return [kind, name, parent, prefix, afterPrefix(prefix) ?? Buffer.alloc(0)];
  };
  const tallyOf = (claims: ClaimsWithin) => tally.get(...valuesOf(claims)) ?? 0;
  // In a transaction both statements see the same moment, whatever other processes commit.
  const holdersIn = db.transaction((claims: ClaimsWithin, limit: number) => {
    return { total: tallyOf(claims), streams: streams.all(...valuesOf(claims), limit) };
  });
  return {
    holdersOf: (claims) => holders(claims.map((claim) => textKey(claimRow(claim)))),
    tallyOf,
    holdersIn,
  };
}

/** Prepares those that add rows, and the lists that are missing. */
function prepareAdd(db: Database.Database): Texts["addNew"] {
  const inserted = (values: string) => `INSERT INTO texts (list, text, tie, first, listed)
      SELECT l.number, r.column4, r.column5, r.column6, r.column7
      FROM (VALUES ${values}) AS r CROSS JOIN lists AS l
        ON l.kind = r.column1 AND l.name = r.column2 AND l.parent = r.column3`;
  const insert = preparePerCount(db, inserted, 7);
  const insertRest = preparePerCount(
    db,
    (values) => `${inserted(values)} WHERE NOT EXISTS
      (SELECT 1 FROM texts WHERE list = l.number AND text = r.column4
        AND tie = r.column5 AND first = r.column6)`,
    7,
  );
  const addLists = preparePerCount(
    db,
    (values) => `INSERT OR IGNORE INTO lists (kind, name, parent)
      SELECT column1, column2, column3 FROM (VALUES ${values})`,
    7,
  );
  return (first, rows) => {
    const values = rows.map((row) => [...textKey(row), tieOf(first, row), first, +row.isListed]);
    if (insert(values) === rows.length) return;
    addLists(values);
    insertRest(values);
  };
}
