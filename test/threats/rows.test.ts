import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { threatFaults } from "../faults/threat.ts";
import { rows } from "./rows.ts";

// docs/threats.md says which tests fail where a defence is taken away: they are there, by its name,
// and "make faults" takes each away.

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const titled = rows.map((row) => ({ ...row, title: row.names.join(", ") }));

test("there are rows", () => {
  expect(rows.length).toBeGreaterThan(20);
});

test.each(titled)("$title is in the names of its tests", ({ names, files }) => {
  expect(files).not.toEqual([]);
  const text = files.map(read).join("\n");
  const named = text + read("test/threats/lies.ts");
  for (const one of names) {
    // Not in a comment: in what the run of the tests shows.
    const lines = named.split("\n").filter((line) => line.includes(one));
    expect(lines.filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))).not.toEqual([]);
  }
});

test("each row has faults by its first name, and there are no others", () => {
  const named = rows.map(({ names: [first] }) => first);
  expect(Object.keys(threatFaults).toSorted()).toEqual(named.toSorted());
  for (const faults of Object.values(threatFaults)) expect(faults).not.toEqual([]);
});
