import { stripTypeScriptTypes } from "node:module";
import { expect, test } from "@jest/globals";
import { inFull } from "../harness/in-full.ts";
import { edited } from "../harness/plant.ts";
import { mistakeOf } from "./fault.ts";
import { lists } from "./lists.ts";

/** What "make faults" plants. */

const all = Object.entries(lists).map(([list, { faults }]) => [list, faults] as const);

test.each(all)("the program still can plant each fault of: %s", async (_list, faults) => {
  const stale: string[] = [];
  for (const fault of faults) {
    const files = await edited(mistakeOf(fault)).catch(({ message }: Error) => message);
    if (typeof files === "string") stale.push(files);
    else expect(files.size).toBeGreaterThan(0);
  }
  expect(stale).toEqual([]);
});

inFull.each(all)("each fault leaves what can be read as TypeScript: %s", async (_list, faults) => {
  const unread: string[] = [];
  for (const fault of faults) {
    for (const [file, text] of await edited(mistakeOf(fault))) {
      try {
        if (file.endsWith(".ts")) stripTypeScriptTypes(text);
      } catch (error) {
        unread.push(`${fault[0]}: ${file}: ${error}`);
      }
    }
  }
  expect(unread).toEqual([]);
});

test("no two faults have the same name", () => {
  const names = all.flatMap(([, faults]) => faults.map(([name]) => name));
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});
