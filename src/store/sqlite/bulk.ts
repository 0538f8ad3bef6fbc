import type Database from "better-sqlite3";

/** Rows that one statement inserts: to call one takes as long as to insert a row. */
export const rowsAtOnce = 20;

/** The rows of a table that are to be inserted. */
export interface Bulk<Row extends readonly unknown[]> {
  add(row: Row): void;
  /** Inserts those that fill a statement, or at the end all. */
  flush(isEnd: boolean): void;
}

/**
 * Makes it for these columns of a table. Where another row is in the place of one, the error says
 * what is made of that one, and the transaction is of no use any more.
 */
export function prepareBulk<Row extends readonly unknown[]>(
  db: Database.Database,
  table: string,
  columns: readonly string[],
  refused: (row: Row) => Error,
): Bulk<Row> {
  const values = `(${columns.map(() => "?").join()})`;
  // What may fail in its middle, SQLite first writes to a file besides; what ignores rows does not.
  const prepare = (count: number) =>
    db.prepare(
      `INSERT OR IGNORE INTO ${table} (${columns.join()})
       VALUES ${Array(count).fill(values).join()}`,
    );
  const [one, many] = [prepare(1), prepare(rowsAtOnce)];
  const same = db.prepare(
    `SELECT 1 FROM ${table} WHERE ${columns.map((name) => `${name} IS ?`).join(" AND ")}`,
  );
  let rows: Row[] = [];

  function insert(insertion: Database.Statement, some: readonly Row[]): void {
    if (insertion.run(some.flat()).changes === some.length) return;
    for (const row of some) {
      if (same.get(row) === undefined) throw refused(row);
    }
  }

  return {
    add: (row) => {
      rows.push(row);
    },
    flush: (isEnd) => {
      while (rows.length >= rowsAtOnce) {
        insert(many, rows.slice(0, rowsAtOnce));
        rows = rows.slice(rowsAtOnce);
      }
      if (isEnd) for (const row of rows.splice(0)) insert(one, [row]);
    },
  };
}
