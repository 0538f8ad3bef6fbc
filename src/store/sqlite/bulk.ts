import type Database from "better-sqlite3";
import { isPassing } from "./connection.ts";

/** Rows that one statement inserts: to call one takes as long as to insert a row. */
export const rowsAtOnce = 20;

/** The rows of a table that are to be inserted. */
export interface Bulk<Row extends readonly unknown[]> {
  add(row: Row): void;
  /** Inserts those that fill a statement, or at the end all. */
  flush(isEnd: boolean): void;
}

/**
 * Makes it for these columns of a table. Of a row that the table refuses, the error says what is
 * made of it; what passes, such as a disk that is full, is thrown as it is.
 */
export function prepareBulk<Row extends readonly unknown[]>(
  db: Database.Database,
  table: string,
  columns: readonly string[],
  refused: (row: Row, cause: unknown) => Error,
): Bulk<Row> {
  const values = `(${columns.map(() => "?").join()})`;
  const prepare = (count: number) =>
    db.prepare(
      `INSERT INTO ${table} (${columns.join()}) VALUES ${Array(count).fill(values).join()}`,
    );
  const [one, many] = [prepare(1), prepare(rowsAtOnce)];
  let rows: Row[] = [];

  function insertEach(some: readonly Row[]): void {
    for (const row of some) {
      try {
        one.run(row);
      } catch (cause) {
        throw isPassing(cause) ? cause : refused(row, cause);
      }
    }
  }

  return {
    add: (row) => {
      rows.push(row);
    },
    flush: (isEnd) => {
      while (rows.length >= rowsAtOnce) {
        const some = rows.slice(0, rowsAtOnce);
        rows = rows.slice(rowsAtOnce);
        try {
          many.run(some.flat());
        } catch {
          // It inserted none: one by one they tell which it is.
          insertEach(some);
        }
      }
      if (isEnd) insertEach(rows.splice(0));
    },
  };
}
