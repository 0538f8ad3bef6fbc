import { expect, test } from "@jest/globals";
import { createSums } from "../../src/store/verify/sums.ts";

/** The rows that there should be, and those that there are; each with its stream. */
type Row = readonly [stream: string, row: string];
const rows: readonly Row[] = Array.from({ length: 100 }, (_, n) => [`thing-${n % 9}`, `row ${n}`]);

function summed(expected: readonly Row[], found: readonly Row[]) {
  const sums = createSums();
  for (const [stream, row] of expected) sums.expect(stream, row);
  for (const [stream, row] of found) sums.find(stream, row);
  return sums;
}

test("sums are even where the rows are there that should be, in any order", () => {
  const sums = summed(rows, rows.toReversed());
  expect(sums.isEvenAll()).toBe(true);
  expect(sums.isEven("thing-3")).toBe(true);
});

test.each<readonly [string, readonly Row[], string]>([
  ["is missing", rows.toSpliced(3, 1), "thing-3"],
  ["is there twice", [...rows, ["thing-3", "row 3"]], "thing-3"],
  ["is too many", [...rows, ["thing-3", "row 100"]], "thing-3"],
  ["is another", rows.with(3, ["thing-3", "row 4"]), "thing-3"],
  ["is in place of another twice", rows.with(3, ["thing-3", "row 12"]), "thing-3"],
  ["is of another stream", rows.with(3, ["thing-4", "row 3"]), "thing-4"],
  ["has a part of its stream's name", rows.with(3, ["thing-", "3row 3"]), "thing-"],
])("they are not where a row %s", (_, found, stream) => {
  const sums = summed(rows, found);
  expect(sums.isEvenAll()).toBe(false);
  expect(sums.isEven(stream)).toBe(false);
  expect(sums.isEven("thing-5")).toBe(true);
});
