import { expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { prepareBulk, rowsAtOnce } from "../../src/store/sqlite/bulk.ts";

/** A table in memory that takes no number twice, and what fills it. */
function numbers() {
  const db = new Database(":memory:");
  db.exec("CREATE TABLE numbers (number INTEGER PRIMARY KEY, name TEXT)");
  const bulk = prepareBulk(
    db,
    "numbers",
    ["number", "name"],
    ([number]: readonly [number: number, name: string], cause) =>
      new Error(`${number} was refused`, { cause }),
  );
  const count = () => db.prepare("SELECT count(*) FROM numbers").pluck().get();
  return { bulk, count };
}

test.each([
  [0, 0],
  [rowsAtOnce - 1, 0],
  [rowsAtOnce, rowsAtOnce],
  [rowsAtOnce + 1, rowsAtOnce],
  [2 * rowsAtOnce, 2 * rowsAtOnce],
])("of %d rows %d are inserted before the end, and all at the end", (rows, before) => {
  const { bulk, count } = numbers();
  for (let number = 0; number < rows; number += 1) bulk.add([number, `name ${number}`]);
  bulk.flush(false);
  expect(count()).toBe(before);
  bulk.flush(true);
  expect(count()).toBe(rows);
});

test.each([0, 1, rowsAtOnce - 1, rowsAtOnce])("row %d is named where it is refused", (place) => {
  const { bulk } = numbers();
  bulk.add([place, "the same"]);
  for (let number = 0; number < rowsAtOnce + 1; number += 1) bulk.add([number, "name"]);
  const message = `${place} was refused`;
  const cause = expect.objectContaining({ code: "SQLITE_CONSTRAINT_PRIMARYKEY" });
  expect(() => bulk.flush(true)).toThrow(expect.objectContaining({ message, cause }));
});
