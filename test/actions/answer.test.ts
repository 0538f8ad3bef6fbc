import { describe, expect, test } from "@jest/globals";
import { readTold } from "../../src/actions/answer.ts";
import { sandboxLimits } from "../../src/actions/limits.ts";

/** What is taken of a machine that a script has taken over: it can tell anything. */

const told = { effects: "[]", log: "[]", durationMs: 1, memoryBytes: 2 };
const read = (changed: Partial<typeof told>) =>
  readTold({ ...told, ...changed }, ["setClaim", "appendLogIntoClaims"], sandboxLimits);
const claim = { kind: "setClaim", name: "a", value: 1 };
const text = (...effects: unknown[]) => JSON.stringify(effects);

describe("effects", () => {
  test("are taken with the members that they have, and no others", () => {
    const { effects } = read({ effects: text({ ...claim, more: 1 }) });
    expect(effects).toEqual([claim]);
  });

  test.each([
    ["of another trigger", { ...claim, kind: "setMetadata" }],
    ["that there are nowhere", { ...claim, kind: "toString" }],
    ["without a kind", { name: "a", value: 1 }],
    ["whose kind is no text", { ...claim, kind: ["setClaim"] }],
    ["without a name", { kind: "setClaim", value: 1 }],
    ["whose name is no text", { ...claim, name: { length: 1 } }],
    ["with a name that they do not have", { ...claim, kind: "appendLogIntoClaims" }],
    ["without a value", { kind: "setClaim", name: "a" }],
    ["that are texts", "setClaim"],
    ["that are null", null],
    ["that are lists", [claim]],
  ])("%s void all", (_, effect) => {
    const { effects, problem } = read({ effects: text(claim, effect) });
    expect([effects, problem?.errorClass]).toEqual([[], "InvalidEffects"]);
    expect(problem?.message).toMatch(/^Effect 2 /);
  });

  test.each(["", "{", "null", '{"length":1}', "1", "[".repeat(30_000)])(
    "are void where it tells %s",
    (told) => {
      const { effects, problem } = read({ effects: told });
      expect([effects, problem?.errorClass]).toEqual([[], "InvalidEffects"]);
    },
  );
});

test("lines are texts, and those that are not are left out", () => {
  expect(read({ log: '["a",1,null,["b"],"\\ud800"]' }).log).toEqual(["a", "\ufffd"]);
  expect(read({ log: "{" }).log).toEqual([]);
});
