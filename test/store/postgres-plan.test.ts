import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { createStateMac } from "../../src/store/chain/state.ts";
import { prepareObjects, type ToObject } from "../../src/store/object-row.ts";
import { inDatabase } from "../../src/store/postgres/database.ts";
import { openIdentity } from "../../src/store/postgres/identity.ts";
import { hashedObjects, list } from "../../src/store/postgres/list.ts";
import type { Connection, Pool } from "../../src/store/postgres/pool.ts";
import type { Filter } from "../../src/store/query.ts";
import { append, eventsOf, thing } from "./fixture.ts";
import { sealing } from "./keys.ts";
import { describeOnPostgres, type PostgresPlace, postgresPlace } from "./postgres-place.ts";

const count = 300;
type Method = Extract<Filter, { readonly kind: "text" }>["method"];
const query = (method: Method) => ({
  ...{ kind: "thing", parents: ["p"], offset: 0, limit: 1_000 },
  where: { kind: "text", field: "name", method, ignoreCase: false, value: "Name" } as const,
});

let place: PostgresPlace;
beforeEach(async () => {
  place = await postgresPlace();
  const store = await place.open();
  const made = Array.from({ length: count }, (_, i) =>
    thing(`thing-${i}`, { name: `Name ${i}` }, "p"),
  );
  eventsOf(await store.append(append(made)));
});
afterEach(() => place.remove());

/** Does the work in a transaction on the tables of the revision. */
function inTransaction<T>(
  work: (connection: Connection, toObject: ToObject) => Promise<T>,
): Promise<T> {
  const onTables = async (pool: Pool) => {
    const toObject = prepareObjects(createStateMac(await openIdentity(pool, sealing)));
    return await pool.transaction("BEGIN", (connection) => work(connection, toObject));
  };
  return inDatabase(place.url, onTables, undefined, 1);
}

interface Step {
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly Plans?: readonly Step[];
}

/** How many rows of the texts a step of a plan and those below it have read. */
function textsRead({ Plans = [], ...step }: Step): number {
  const own = step["Relation Name"] === "texts" ? step["Actual Rows"] * step["Actual Loops"] : 0;
  return Plans.reduce((sum, below) => sum + textsRead(below), own);
}

/** What the planner takes tables for that were empty a moment ago. */
const asEmpty = `
  UPDATE pg_class SET reltuples = 0, relpages = 1 WHERE relnamespace = 'iam_r1'::regnamespace
    AND relname IN ('objects', 'texts', 'lists', 'texts_first', 'texts_text')`;

describeOnPostgres("a list of a database with conditions", () => {
  it("reads each text once for a page and once for a total, however few are expected", async () => {
    const { found, reads } = await inTransaction(async (connection, toObject) => {
      await connection.query(asEmpty);
      let reads = 0;
      const explained: Connection["query"] = async (text, values) => {
        const [{ "QUERY PLAN": plan } = { "QUERY PLAN": undefined }] = await connection.query<{
          readonly "QUERY PLAN": [{ readonly Plan: Step }];
        }>(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`, values);
        if (plan !== undefined) reads += textsRead(plan[0].Plan);
        return await connection.query(text, values);
      };
      const page = await list({ query: explained }, toObject, query("contains"));
      await connection.query("SELECT derived.analyze()");
      return { found: page.objects.length, reads };
    });
    expect({ found, reads }).toEqual({ found: count, reads: 2 * count });
  });

  it.each<[string, number, Method, "on" | "off"]>([
    ["by hashes alone at the limit", hashedObjects, "ends-with", "off"],
    ["as the planner likes one past the limit", hashedObjects + 1, "ends-with", "on"],
    ["as the planner likes where an index finds texts", count, "starts-with", "on"],
  ])("is joined %s", async (_, counted, method, loops) => {
    const set = await inTransaction(async (connection, toObject) => {
      await connection.query("UPDATE derived.counts SET objects = $1", [counted]);
      await list(connection, toObject, query(method));
      return await connection.query("SHOW enable_nestloop");
    });
    expect(set).toEqual([{ enable_nestloop: loops }]);
  });
});
