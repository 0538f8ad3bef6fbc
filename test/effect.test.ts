import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

// What has no effect yet is said where it is created, and in one table. Both say the same: a line
// goes from both when it gets one.

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** The names of what a comment of the contract says to have no effect yet. */
function inContract(): readonly string[] {
  const files = readdirSync(join(root, "proto/iam"), { recursive: true, encoding: "utf8" });
  return files
    .filter((path) => path.endsWith(".proto"))
    .flatMap((path) => [
      ...read(join("proto/iam", path)).matchAll(
        /^ *\/\/ (?:It has|They have) no effect yet: .*\n *(?:rpc (\w+)|(?:[\w.]+ )*(\w+) =)/gm,
      ),
    ])
    .map(([, method, field = ""]) => method ?? camel(field));
}

/** The name of a field as JSON has it; values of enums stay as they are. */
function camel(name: string): string {
  return /^[A-Z]/.test(name)
    ? name
    : name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
}

test("what has no effect yet is said where it is created and in docs/calls.md alike", () => {
  const [, section = ""] =
    /## What has no effect yet\n(.*?)\n## /s.exec(read("docs/calls.md")) ?? [];
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  const listed = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  const said = new Set(inContract());
  expect(said.size).toBeGreaterThan(0);
  expect(new Set(listed)).toEqual(said);
});

test("no operation says so in any other words", () => {
  const files = readdirSync(join(root, "proto/iam"), { recursive: true, encoding: "utf8" });
  const text = files
    .filter((path) => path.endsWith(".proto"))
    .map((path) => read(join("proto/iam", path)))
    .join("\n");
  expect(text.match(/no effect yet/g)).toHaveLength(inContract().length);
});
