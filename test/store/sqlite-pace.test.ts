import { afterAll, describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { paceBy, paceFactor, paceRows } from "../../src/store/sqlite/pace.ts";
import { fc } from "../harness/laws.ts";

const rows = 5_000;
const expected = rows / paceRows;

const db = new Database(":memory:");
db.exec("CREATE TABLE x(first INTEGER PRIMARY KEY)");
db.function("may_go_on", () => 0);
afterAll(() => void db.close());

/** The positions, of those given, of the rows that ask. */
function askingOf(firsts: readonly number[], factor: number): readonly number[] {
  db.exec("DELETE FROM x");
  const insert = db.prepare("INSERT INTO x VALUES (?)");
  db.transaction(() => firsts.forEach((first) => void insert.run(first)))();
  const { text, values } = paceBy(factor);
  const asking = db.prepare<unknown[], number>(`SELECT first FROM x WHERE NOT ${text}`).pluck();
  return asking.all(...values);
}

const drawn = fc.sample(fc.integer({ min: 2 ** 21, max: 2 ** 22 - 1 }), 200).values();
const factors = Array.from({ length: 10 }, () => paceFactor(() => drawn.next().value ?? 0));
const positions = (distance: number, from = 0) =>
  Array.from({ length: rows }, (_, i) => from + (i + 1) * distance);

describe("a list in the thread, or before it", () => {
  test.each([
    ["in a row", positions(1)],
    ["of two events each", positions(2)],
    ["of seven events each", positions(7)],
    ["far behind in a long log", positions(3, 2 ** 39)],
    ["that are left of a prime", positions(1).filter((first) => first % 127 !== 0)],
    ["that are left of a power of two", positions(1).filter((first) => first % 128 !== 0)],
    ["of one residue", positions(127)],
  ])("of the rows %s about one in so many asks, whatever the factor", (_, firsts) => {
    for (const factor of factors) {
      const { length } = askingOf(firsts, factor);
      expect(length).toBeGreaterThan(expected / 3);
      expect(length).toBeLessThan(expected * 3);
    }
  });

  test("which rows ask follows from the factor, so that nobody else can name them", () => {
    const [one = [], ...others] = factors.map((factor) => askingOf(positions(1), factor));
    for (const other of others) {
      const left = positions(1).filter((first) => !one.includes(first));
      expect(other.filter((first) => left.includes(first)).length).toBeGreaterThan(expected / 2);
    }
  });

  test("a factor by which no row would ask is drawn again", () => {
    const draws = [2 ** 21, 2 ** 21 + 2 ** 20, ...factors];
    expect(factors).toContain(paceFactor(() => draws.shift() ?? 0));
    expect(draws.length).toBeLessThan(factors.length);
  });
});
