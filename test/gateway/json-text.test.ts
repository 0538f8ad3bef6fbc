import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { positionOf, scanJson } from "../../src/gateway/json-text.ts";

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("what is no JSON has a fault, and nothing else has", () => {
  const marks = [..."{}[]:,\"'\\/ \t\n\r\u0000\u007fu0129.eE+-atfn", "true", "false", "null", "é"];
  const marked = fc
    .array(fc.constantFrom(...marks), { maxLength: 12 })
    .map((each) => each.join(""));
  /** JSON in which a part has given way to something else. */
  const broken = fc
    .tuple(fc.json(), fc.nat(), fc.nat({ max: 3 }), fc.constantFrom("", ...marks))
    .map(([text, place, length, mark]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + mark + text.slice(at + length);
    });

  test.each([
    ["marks", marked],
    ["values", fc.json()],
    ["broken values", broken],
  ])("among %s", (_, texts) => {
    const law = fc.property(texts, (text) => {
      const { fault } = scanJson(text);
      expect(fault === undefined).toBe(isJson(text));
      expect(fault?.at ?? 0).toBeLessThanOrEqual(text.length);
    });
    fc.assert(law, { numRuns: 1_000 });
  });

  test("before which everything is JSON as far as it goes", () => {
    const law = fc.property(fc.json(), fc.nat(), (text, place) => {
      const cut = text.slice(0, place % text.length);
      const at = scanJson(cut).fault?.at ?? cut.length;
      // Only a literal that is cut off is a fault where it begins.
      expect(cut.slice(at)).toMatch(
        /^(?:-|t|tr|tru|f|fa|fal|fals|n|nu|nul|\\u?[\da-f]*|\.|\.?e?[+-]?)$/i,
      );
    });
    fc.assert(law, { numRuns: 1_000 });
  });

  test.each([
    ["open lists", "["],
    ["open objects", '{"a":'],
    ["lists in lists", "[[],"],
  ])("in a million of %s", (_, part) => {
    const text = part.repeat(1_000_000);
    expect(scanJson(text)).toEqual({
      fault: { at: text.length, expected: "a value" },
      repeated: [],
    });
  });

  test("in a text and a number of a million characters", () => {
    expect(scanJson(`["${"é".repeat(1_000_000)}",${"1".repeat(1_000_000)}]`).fault).toBeUndefined();
  });
});

describe("a name that is repeated", () => {
  test.each([
    ["in the outermost object", '{"a":1,"b":2,"a":3}', [["a"]]],
    ["three times", '{"a":1,"a":2,"a":3}', [["a"]]],
    ["in another form", String.raw`{"a":1,"\u0061":2}`, [["a"]]],
    ["in an entry of a list", '{"a":[1,[],{},{"b":1,"b":2}]}', [["a", 3, "b"]]],
    ["behind an object", '{"a":{"a":{}},"b":{"c":1,"c":2},"b":3}', [["b", "c"], ["b"]]],
    ["in objects of their own", '[{"a":1},{"a":1},{"a":{"a":1}}]', []],
    ["without characters", '{"":1,"":2}', [[""]]],
    ["called __proto__", '{"__proto__":1,"__proto__":2}', [["__proto__"]]],
  ])("%s", (_, text, ways) => {
    expect(scanJson(text)).toEqual({ repeated: ways });
  });

  test("is told where people look, and not at any depth", () => {
    const at = (depth: number) => `${"[".repeat(depth)}{"a":1,"a":2}${"]".repeat(depth)}`;
    expect(scanJson(at(199)).repeated).toEqual([[...Array(199).fill(0), "a"]]);
    expect(scanJson(at(200)).repeated).toEqual([]);
  });

  test("is told a thousand times at most", () => {
    const text = `[${Array(1_001).fill('{"a":1,"a":2}').join()}]`;
    expect(scanJson(text).repeated).toHaveLength(1_000);
  });
});

test.each([
  ["", 0, 1, 1],
  ["a", 1, 1, 2],
  ["a\n", 2, 2, 1],
  ["a\r\nbc", 5, 2, 3],
  ["\n\n", 1, 2, 1],
  ["é😀x", 3, 1, 3],
])("of %j, the place %i is line %i, column %i", (text, at, line, column) => {
  expect(positionOf(text, at)).toEqual({ line, column });
});
