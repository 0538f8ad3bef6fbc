// Each rule of the domain on a field stands beside the field in the contract, in the words that the
// rule has for itself: one who reads the contract knows what is enforced.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ScalarType } from "@bufbuild/protobuf";
import { expect, test } from "@jest/globals";
import { fieldRules } from "../../src/api/field-rules.ts";
import { jsonPath } from "../../src/gateway/call/field-name.ts";
import { methods } from "../harness/contract.ts";

const root = join(import.meta.dirname, "../../proto");

/** The comments of the fields of a file, each by message and field: `Outer.Inner.field_name`. */
function commentsOf(file: string): ReadonlyMap<string, string> {
  const comments = new Map<string, string>();
  const outer: { readonly name: string; readonly indent: number }[] = [];
  let comment: string[] = [];
  for (const line of readFileSync(join(root, `${file}.proto`), "utf8").split("\n")) {
    const indent = line.length - line.trimStart().length;
    const [, said] = /^ *\/\/ ?(.*)$/.exec(line) ?? [];
    const [, message] = /^ *message (\w+) \{$/.exec(line) ?? [];
    const [, field] = /^ *(?:repeated |optional )?[\w.]+ (\w+) = \d+/.exec(line) ?? [];
    if (message !== undefined) outer.push({ name: message, indent });
    if (line.trim() === "}" && outer.at(-1)?.indent === indent) outer.pop();
    if (field !== undefined) {
      comments.set([...outer.map(({ name }) => name), field].join("."), comment.join(" "));
    }
    comment = said === undefined ? [] : [...comment, said];
  }
  return comments;
}

const requests = [
  ...new Set(
    methods.flatMap(({ input }) => [
      ...[input, ...input.nestedMessages],
      ...input.fields.flatMap(({ message }) => message ?? []),
    ]),
  ),
];
const ruled = requests.flatMap((message) => {
  const { fields = {} } = fieldRules.get(message.typeName) ?? {};
  return Object.entries(fields).map(([localName, { says }]) => {
    const field = message.fields.find((one) => one.localName === localName)!;
    return { name: `${message.typeName}.${field.name}`, field, says };
  });
});

test("the rules are those of requests, and of fields that are asked about", () => {
  const known = requests.map(({ typeName }) => typeName);
  expect([...fieldRules.keys()].filter((typeName) => !known.includes(typeName))).toEqual([]);
  const unasked = ruled.filter(
    ({ field: { scalar, message } }) =>
      scalar !== ScalarType.STRING && message?.typeName !== "google.protobuf.Duration",
  );
  expect(unasked.map(({ name }) => name)).toEqual([]);
  expect(ruled.length).toBeGreaterThan(40);
});

test.each(ruled)("the contract says beside $name what is asked", ({ field, says }) => {
  const { file, typeName } = field.parent;
  const path = `${typeName.slice(file.proto.package.length + 1)}.${field.name}`;
  const comment = commentsOf(file.name).get(path) ?? "";
  expect(comment.toLowerCase()).toContain(says.toLowerCase());
});

test("the names of fields in JSON are those of Protobuf", () => {
  const fields = requests.flatMap((message) => message.fields);
  expect(fields.map(({ name }) => jsonPath(name))).toEqual(fields.map(({ jsonName }) => jsonName));
});
