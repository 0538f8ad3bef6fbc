import { expect, it } from "@jest/globals";
import { endingTogether } from "../../src/store/postgres/deadline.ts";
import type { Bound, Connection } from "../../src/store/postgres/pool.ts";

it("gives each statement of a transaction what is left of its time", async () => {
  const sent: string[] = [];
  const connection: Connection = {
    query: async <Row extends object>(text: string, values: readonly Bound[] = []) => {
      sent.push([text, ...values].join(" "));
      return [] as readonly Row[];
    },
  };
  const left = [1_000, 901, 900.5, 811, 810, 0.5, 0, -3];
  const { query } = endingTogether(connection, 1_000, () => left.shift()!);
  for (let i = 1; left.length > 0; i += 1) await query("SELECT", [i]);
  expect(sent).toEqual([
    ...["SELECT 1", "SELECT 2"],
    ...["SET LOCAL statement_timeout = 900", "SELECT 3"],
    "SELECT 4",
    ...["SET LOCAL statement_timeout = 810", "SELECT 5"],
    // None would be no bound.
    ...["SET LOCAL statement_timeout = 1", "SELECT 6"],
    ...["SELECT 7", "SELECT 8"],
  ]);
});
