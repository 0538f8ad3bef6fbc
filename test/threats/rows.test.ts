import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

// docs/threats.md says which tests fail where a defence is taken away: they are there, by its name.

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

const rows = read("docs/threats.md")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (?:Name|---)/.test(line))
  .map((line) => line.slice(2, -2).split(" | "))
  .map(([name = "", , , tests = ""]) => ({ name, files: [...tests.matchAll(/`([^`]+)`/g)] }));

test("there are rows", () => {
  expect(rows.length).toBeGreaterThan(20);
});

test.each(rows)("$name is in the names of its tests", ({ name, files }) => {
  expect(files).not.toEqual([]);
  const text = files.map(([, file = ""]) => read(file)).join("\n");
  const named = text + read("test/threats/lies.ts");
  for (const one of name.split(/, (?=CVE|GHSA)/)) {
    // Not in a comment: in what the run of the tests shows.
    const lines = named.split("\n").filter((line) => line.includes(one));
    expect(lines.filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))).not.toEqual([]);
  }
});
