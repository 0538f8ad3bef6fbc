import { getOption, hasOption } from "@bufbuild/protobuf";
import { expect, test } from "@jest/globals";
import { http } from "../../gen/google/api/annotations_pb.js";
import kept from "../../generate/examples.json" with { type: "json" };
import { reasons } from "../../src/reason.ts";
import { methods } from "../harness/contract.ts";
import { inFull } from "../harness/in-full.ts";
import { document, operations, source } from "./document.ts";

inFull(
  "the document keeps the rules of OpenAPI, and its examples those of the document",
  async () => {
    const { createConfig, lintFromString } = await import("@redocly/openapi-core");
    const config = await createConfig({
      extends: ["spec"],
      rules: {
        "no-invalid-media-type-examples": "error",
        "no-invalid-parameter-examples": "error",
        "no-invalid-schema-examples": "error",
      },
    });
    const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location])).toEqual(
      [],
    );
  },
);

test("each method has its JSON path, and the REST path of the contract; streams have none", () => {
  const unary = methods.filter(({ methodKind }) => methodKind === "unary");
  const expected = unary.flatMap((method) => {
    const { name, parent } = method;
    const json = [`${parent.name}_${name}_JSON`, "post", `/${parent.typeName}/${name}`];
    if (!hasOption(method, http)) return [json];
    const { pattern } = getOption(method, http);
    return [json, [`${parent.name}_${name}`, pattern.case, shapeOf(`${pattern.value}`)]];
  });
  const found = [...operations].map(([id, { verb, path }]) => [
    id,
    verb,
    id.endsWith("_JSON") ? path : shapeOf(path),
  ]);
  expect(found.sort()).toEqual(expected.sort());
});

test("each reason is told once, with its status", () => {
  const lines = Object.values(document.components.responses).flatMap(({ description }) =>
    [...description.matchAll(/^- `(\w+)`:/gm)].map(([, reason]) => reason),
  );
  // Who cancels a call reads no answer.
  const told = Object.keys(reasons).filter((reason) => reason !== "CANCELED");
  expect(lines.sort()).toEqual(told.sort());
});

test("all methods have an example that can be answered one", () => {
  const without = methods.filter(({ name, parent }) => !(`${parent.typeName}/${name}` in kept));
  // There is one role on a project, which nothing can replace. A stream is not in the document.
  expect(without.map(({ name }) => name).sort()).toEqual(["UpdateProjectMember", "WatchEvents"]);
});

/** A path without the names of its variables. */
function shapeOf(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, "{}");
}
