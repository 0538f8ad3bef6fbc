import { runCases } from "../harness/cases.ts";
import { gathered, tables } from "../harness/gathered.ts";
import { describeOnPostgres } from "../store/postgres-place.ts";

// What has a table of its own runs on PostgreSQL as well: here the first row of each method, but of
// a list that wants to be alone, and all of them where IAM_TEST_LOG=postgres.

const all = await gathered(tables);
const rows = all.filter(({ method }) => method.name !== "ListOrgIDPs").reverse();
const firsts = new Map(rows.map((row) => [row.method, row]));
describeOnPostgres("on PostgreSQL", () => {
  runCases("the first row of each", [...firsts.values()].reverse(), {
    kind: "postgres",
    isBrief: true,
  });
});
