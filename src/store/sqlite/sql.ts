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
      kept.get(text) ?? db.prepare<Value[], readonly unknown[]>(text).raw().safeIntegers();
    // A map yields its keys in the order of insertion: the first is the one unused for longest.
    kept.delete(text);
    kept.set(text, statement);
    const [oldest = text] = kept.keys();
    if (kept.size > max) kept.delete(oldest);
    return statement;
  };
}

/**
 * A statement over so many rows of values as are given, which is prepared for each count: to begin
 * and end one costs several times what it reads of a row.
 */
export interface PerCount<Row> {
  all(rows: readonly (readonly unknown[])[]): readonly Row[];
  /** Answers how many rows were changed. */
  run(rows: readonly (readonly unknown[])[]): number;
}

/** How many rows one such statement takes; of more, it is run again. */
const countMax = 20;

/** Makes it of a text around the values, whose rows have so many columns: the first of each row. */
export function preparePerCount<Row = never>(
  db: Database.Database,
  textOf: (values: string) => string,
  columns: number,
): PerCount<Row> {
  const one = `(${Array(columns).fill("?").join()})`;
  const prepared: Database.Statement<unknown[], Row>[] = [];
  const statementFor = (count: number) => {
    prepared[count] ??= db.prepare<unknown[], Row>(textOf(Array(count).fill(one).join()));
    return prepared[count];
  };
  function* pieces(rows: readonly (readonly unknown[])[]) {
    for (let from = 0; from < rows.length; from += countMax) {
      const piece = rows.slice(from, from + countMax);
      yield { statement: statementFor(piece.length), values: piece.flat() };
    }
  }
  return {
    all: (rows) => {
      const found: Row[] = [];
      for (const { statement, values } of pieces(rows)) {
        found.push(...statement.pluck().all(...values));
      }
      return found;
    },
    run: (rows) => {
      let changes = 0;
      for (const { statement, values } of pieces(rows)) changes += statement.run(...values).changes;
      return changes;
    },
  };
}
