import { describe, expect, test } from "@jest/globals";
import { lineViolations, nameViolations } from "../../src/domain/name.ts";

const blank = "must not be blank";
const broken = "must not contain control characters or line breaks";

describe("a name", () => {
  test.each([
    "a",
    " Ada  Lovelace ",
    "d'Arc–Ünlü",
    "👩‍💻",
    "❤️",
    "क्‍ष",
    "ada\u200b",
    "a\u00a0b",
    "n".repeat(200),
  ])("may be %j", (name) => {
    expect(nameViolations("name", name)).toEqual([]);
  });

  test.each([
    ["", blank],
    [" ", blank],
    ["\t\n", blank],
    ["\u00a0\u2003", blank],
    ["\u200b\ufeff\u3164", blank],
    ["\u2028", blank],
    ["ada\nroot", broken],
    ["ada\r\n", broken],
    ["\nada", broken],
    ["a\tb", broken],
    ["a\u0007b", broken],
    ["a\u001b[31mb", broken],
    ["a\u007fb", broken],
    ["a\u0085b", broken],
    ["a\u2028b", broken],
    ["a\u2029b", broken],
  ])("is not %j, which %s", (name, description) => {
    expect(nameViolations("name", name)).toEqual([{ field: "name", description }]);
  });
});

test("a text that may be empty or blank has no line breaks either", () => {
  for (const text of ["", " ", "\u200b", "a b"]) expect(lineViolations("text", text)).toEqual([]);
  for (const text of ["\t", "\n", "a\u2029"]) {
    expect(lineViolations("text", text)).toEqual([{ field: "text", description: broken }]);
  }
});
