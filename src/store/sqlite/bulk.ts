import type Database from "better-sqlite3";

/** Rows that one statement inserts: to call one takes as long as to insert a row. */
export const rowsAtOnce = 20;

/**
 * Prepares the insertion of rows with these columns into a table. Where another row is in the place
 * of one, the error is made of that one and of what SQLite says, and the transaction is of no use
 * any more.
 */
export function prepareBulk<Row extends readonly unknown[]>(
  db: Database.Database,
  table: string,
  columns: readonly string[],
  refused: (row: Row, cause: unknown) => Error,
) {
  const values = `(${columns.map(() => "?").join()})`;
  // What may fail in its middle, SQLite first writes to a file besides; what ignores rows does not.
  const prepare = (insert: string, count: number) =>
    db.prepare(
      `${insert} INTO ${table} (${columns.join()}) VALUES ${Array(count).fill(values).join()}`,
    );
  const many = prepare("INSERT OR IGNORE", rowsAtOnce);
  const [one, wanted] = [prepare("INSERT OR IGNORE", 1), prepare("INSERT", 1)];
  const same = db.prepare(
    `SELECT 1 FROM ${table} WHERE ${columns.map((name) => `${name} IS ?`).join(" AND ")}`,
  );
  let rows: Row[] = [];

  function insert(insertion: Database.Statement, some: readonly Row[]): void {
    if (insertion.run(some.flat()).changes === some.length) return;
    for (const row of some.filter((each) => same.get(each) === undefined)) {
      try {
        wanted.run(row);
      } catch (cause) {
        throw refused(row, cause);
      }
    }
  }

  return {
    add: (row: Row) => {
      rows.push(row);
    },
    /** Inserts those that fill a statement, or at the end all. */
    flush: (isEnd: boolean) => {
      while (rows.length >= rowsAtOnce) {
        insert(many, rows.slice(0, rowsAtOnce));
        rows = rows.slice(rowsAtOnce);
      }
      if (isEnd) for (const row of rows.splice(0)) insert(one, [row]);
    },
  };
}
