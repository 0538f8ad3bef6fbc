import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gathering, runCases } from "../harness/cases.ts";
import { describeOnPostgres } from "../store/postgres-place.ts";

// What has a table of its own runs on PostgreSQL as well: here the first row of each method, but of
// a list that wants to be alone, and all of them where IAM_TEST_LOG=postgres.

const isTable = (file: string) =>
  !/^(?:test|describe|(?:before|after)(?:All|Each))\b/m.test(
    readFileSync(join(import.meta.dirname, file), "utf8"),
  );
const files = readdirSync(import.meta.dirname).filter(
  (file) => file.endsWith(".test.ts") && file !== "on-postgres.test.ts" && isTable(file),
);

gathering.cases = [];
// A module of its own: the file itself may be run by the same worker, which loads a module once.
for (const file of files) await import(`./${file}?gathered`);
const all = gathering.cases;
delete gathering.cases;

const rows = all.filter(({ method }) => method.name !== "ListOrgIDPs").reverse();
const firsts = new Map(rows.map((row) => [row.method, row]));
describeOnPostgres("on PostgreSQL", () => {
  runCases("the first row of each", [...firsts.values()].reverse(), {
    kind: "postgres",
    isBrief: true,
  });
});
