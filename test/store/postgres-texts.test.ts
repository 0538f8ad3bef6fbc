import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { floor, migrations } from "../../src/store/postgres/migrations.ts";
import { foldText } from "../../src/text/fold.ts";
import { logPath } from "../harness/postgres.ts";
import { runOn } from "../start/database-place.ts";
import { append, change, eventsOf, record, streamsOf, thing } from "./fixture.ts";
import { describeOnPostgres, type PostgresPlace, postgresPlace } from "./postgres-place.ts";
import { textCases, textsText } from "./texts.ts";

let place: PostgresPlace;
beforeEach(async () => {
  place = await postgresPlace();
});
afterEach(() => place.remove());

/** Runs a statement past the store; answers its rows as lists of their values. */
async function rowsOf(text = textsText): Promise<readonly unknown[][]> {
  const rows = await runOn(place.url, [logPath, text]);
  const numberIn = (value: unknown) => (/^\d+$/.test(String(value)) ? Number(value) : value);
  return rows.map((row) => Object.values(row).map(numberIn));
}

describeOnPostgres("the texts of a database", () => {
  textCases({ open: () => place.open(), rowsOf });

  it("stay where they are while others of the object change", async () => {
    const store = await place.open();
    const named = (a: string, b: string) => ({
      row: { kind: "thing", parent: "p", fields: { a, b } },
    });
    const take = ["a", "b"].map((value) => ({ kind: `thing.${value}`, scope: "p", value }));
    eventsOf(await store.append(append([change("thing-1", 0, { ...named("A", "x"), take })])));
    const where = () => rowsOf("SELECT text, ctid::text, listed FROM texts ORDER BY text");
    const [a, b, x] = await where();
    expect([a?.[0], b?.[0], x?.[0]]).toEqual(["a", "b", "x"]);
    eventsOf(await store.append(append([change("thing-1", 1, named("A", "y"))])));
    expect(await where()).toEqual([a, b, ["y", expect.anything(), true]]);
    eventsOf(await store.append(append([change("thing-1", 2, named("A", "b"))])));
    expect(await where()).toEqual([a, ["b", expect.anything(), true]]);
  });

  it("may be changed by a role that may append to the log", async () => {
    const role = '"serving ""before"""';
    await runOn(place.url, [
      "DROP SCHEMA IF EXISTS iam, iam_r1 CASCADE",
      migrations[0] ?? "",
      `INSERT INTO iam.schema VALUES (${floor})`,
      `CREATE ROLE ${role}`,
      `GRANT SELECT, INSERT ON iam.events TO ${role}`,
    ]);
    await (await place.open()).close();
    const granted = await rowsOf(
      `SELECT table_name, string_agg(privilege_type, ' ' ORDER BY privilege_type)
         FROM information_schema.role_table_grants
         WHERE grantee = 'serving "before"' AND table_schema = 'iam_r1'
         GROUP BY table_name ORDER BY table_name`,
    );
    const all = "DELETE INSERT SELECT UPDATE";
    const tables = ["built", "counts", "lists", "objects", "pending", "texts"];
    expect(granted).toEqual(tables.map((name) => [name, all]));
    await runOn(place.url, [`DROP OWNED BY ${role}`, `DROP ROLE ${role}`]);
  });

  it.each([
    ["under another parent", "parent = 'p-1'", "thing", "p-1"],
    ["as another kind", "kind = 'other'", "other", ""],
  ])("show no object %s than its row says", async (_, change, kind, parent) => {
    const store = await place.open();
    eventsOf(await record(store, "thing-1", [["added", { name: "One" }]]));
    await rowsOf(`UPDATE lists SET ${change} WHERE kind = 'thing'`);
    const listed = store.list({ kind, parents: [parent], sortBy: "name", offset: 0, limit: 9 });
    await expect(listed).rejects.toThrow("or under another parent, than it was listed by");
  });

  it("are told apart behind what an index has of them", async () => {
    const store = await place.open();
    const long = ["a", "b", "\\"].map((end) => `${"\u{10ffff}".repeat(200)}${end}`);
    const take = long.map((value) => ({ kind: "thing.name", scope: "p", value }));
    const made = take.map((each, i) => change(`thing-${i}`, 0, { take: [each] }));
    eventsOf(await store.append(append(made)));
    for (const [i, claim] of take.entries()) expect(await store.find(claim)).toBe(`thing-${i}`);
    const again = await store.append(append([change("thing-9", 0, { take: take.slice(1, 2) })]));
    expect(again).toMatchObject({ kind: "claim-taken" });
  });

  it("are compared as they are, whatever JSON escapes of them", async () => {
    const store = await place.open();
    const names = ["\0", "\u0001", "\\u0000", "\\\0", "\\\\u0001", '"\0"', "\n", "\\n"];
    await store.append(append(names.map((name, i) => thing(`thing-${i}`, { name }))));
    const says = {
      equals: (one: string, other: string) => one === other,
      "starts-with": (one: string, other: string) => one.startsWith(other),
      "ends-with": (one: string, other: string) => one.endsWith(other),
    };
    for (const value of names) {
      for (const method of ["equals", "starts-with", "ends-with"] as const) {
        const where = { kind: "text", field: "name", method, ignoreCase: false, value } as const;
        const found = names.filter(
          (name) => says[method](name, value) && says[method](foldText(name), foldText(value)),
        );
        const streams = found.map((name) => `thing-${names.indexOf(name)}`);
        expect([value, method, await streamsOf(store, { where })]).toEqual([
          value,
          method,
          streams,
        ]);
      }
    }
  });
});
