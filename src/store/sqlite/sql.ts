import type Database from "better-sqlite3";
import { type Sql, sql, type Value } from "../sql.ts";

/** The list behind IN as one value, so that its length does not change the text. */
export function list(texts: readonly string[]): Sql {
  return sql`(SELECT value FROM json_each(${toJson(texts)}))`;
}

/** The texts as one that can be bound where SQL takes them apart with json_each. */
export function toJson(texts: readonly string[]): string {
  // JSON would keep half a surrogate pair, for which everything else that is bound has U+FFFD.
  return JSON.stringify(texts.map((text) => text.toWellFormed()));
}

/**
 * A value that is bound, in the text of a statement. SQLite plans a statement anew whenever one is
 * bound that says how many rows there are, behind LIMIT or beside the first column of an index: it
 * takes longer than to read a row. Behind a plus, which changes no value, it does not look at it.
 */
export const bound = "+?";

/**
 * Makes the function that prepares statements whose texts come and go with what is asked; a row is
 * the list of its values. It keeps the `max` that were used last.
 */
export function prepareLast(
  db: Database.Database,
  max: number,
): (text: string) => Database.Statement<Value[], readonly unknown[]> {
  const kept = new Map<string, Database.Statement<Value[], readonly unknown[]>>();
  return (text) => {
    const statement =
      kept.get(text) ??
      db.prepare<Value[], readonly unknown[]>(text.replaceAll("?", bound)).raw().safeIntegers();
    // A map yields its keys in the order of insertion: the first is the one unused for longest.
    kept.delete(text);
    kept.set(text, statement);
    const [oldest = text] = kept.keys();
    if (kept.size > max) kept.delete(oldest);
    return statement;
  };
}

/** Rows of what a statement binds. */
type Rows = readonly (readonly unknown[])[];

/**
 * Makes the function that writes rows of values, and answers how many rows were changed. The text
 * stands around the values, whose rows have so many columns.
 */
export function preparePerCount(
  db: Database.Database,
  textOf: (values: string) => string,
  columns: number,
): (rows: Rows) => number {
  const one = `(${Array(columns).fill("?").join()})`;
  const inPieces = preparePieces((count) => db.prepare(textOf(Array(count).fill(one).join())));
  return (rows) => {
    const changes = inPieces(rows, (statement, values) => statement.run(...values).changes);
    return changes.reduce((sum, each) => sum + each, 0);
  };
}

/** Makes the function that answers the value of an expression for each row of what it binds. */
export function prepareValues<Value>(
  db: Database.Database,
  expression: string,
): (rows: Rows) => readonly Value[] {
  const inPieces = preparePieces((count) =>
    db.prepare<unknown[], Value[]>(`SELECT ${Array(count).fill(expression).join()}`).raw(),
  );
  return (rows) => inPieces(rows, (statement, values) => statement.get(...values) ?? []).flat();
}

/** How many rows one such statement takes; of more, it is run again. */
const countMax = 20;

/**
 * Makes what works on so many rows as are given by a statement that is prepared for each count: to
 * begin and end one costs several times what it does for a row.
 */
function preparePieces<Row>(prepare: (count: number) => Database.Statement<unknown[], Row>) {
  const prepared: Database.Statement<unknown[], Row>[] = [];
  return <Done>(
    rows: Rows,
    work: (statement: Database.Statement<unknown[], Row>, values: readonly unknown[]) => Done,
  ) => {
    const done: Done[] = [];
    for (let from = 0; from < rows.length; from += countMax) {
      const piece = rows.length > countMax ? rows.slice(from, from + countMax) : rows;
      const statement = prepared[piece.length] ?? prepare(piece.length);
      prepared[piece.length] = statement;
      done.push(work(statement, piece.flat()));
    }
    return done;
  };
}
