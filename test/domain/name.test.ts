import { describe, expect, test } from "@jest/globals";
import {
  claimOf,
  keyProblem,
  lineProblem,
  loginNameProblem,
  nameClaims,
  nameProblem,
} from "../../src/domain/name.ts";

const blank = "must not be blank";
const misleading =
  "must not contain bidirectional control characters or letters that look blank (for " +
  "example U+3164)";
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
    expect(nameProblem(name)).toBeUndefined();
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
    ["\u2800", blank],
    ["\u202enimda", misleading],
    ["x\u2066y", misleading],
    ["a\u200eb", misleading],
    ["a\u061cb", misleading],
    ["a\u2800", misleading],
    ["a\u3164b", misleading],
    ["a\uffa0b", misleading],
    ["\ufff9ada\ufffb", misleading],
    ["ada\ufffc", misleading],
    ["\u{1d159}", misleading],
    ["a\u{16fe4}b", misleading],
    ["a\u{13430}b", misleading],
  ])("is not %j, which %s", (name, description) => {
    expect(nameProblem(name)).toBe(description);
  });
});

test("a text that may be empty or blank has no line breaks either", () => {
  for (const text of ["", " ", "\u200b", "a b"]) expect(lineProblem(text)).toBeUndefined();
  for (const text of ["\t", "\n", "a\u2029"]) {
    expect(lineProblem(text)).toBe(broken);
  }
});

test.each([
  [" ada\n", undefined],
  ["\t", blank],
  ["ada\nroot", broken],
])("a login name is %j without what is at its ends", (name, problem) => {
  expect(loginNameProblem(name)).toBe(problem);
});

describe("what a name claims", () => {
  const claimed = (name: string) =>
    nameClaims("user.name", name, claimOf(name)).map(({ value }) => value);

  test.each([
    ["Admin", ["admin"]],
    ["user1", ["user1"]],
    ["userl", ["userl"]],
    ["m", ["m"]],
    ["βeta", ["βeta", "ßeta"]],
    ["Straße", ["straße"]],
    ["\u0430dmin", ["\u0430dmin", "admin"]],
    ["adm\u0131n", ["adm\u0131n", "admin"]],
    ["\u0391dmin", ["\u03b1dmin", "admin"]],
    ["\uff41dmin", ["admin"]],
    ["山田", ["山田"]],
    // What looks like Latin letters in one case alone.
    ["\u0412ob", ["\u0432ob", "\u0299ob", "bob"]],
    ["\u0432ob", ["\u0432ob", "\u0299ob"]],
    ["\u039dick", ["\u03bdick", "vick", "nick"]],
    ["\u13aadmin", ["\uab7admin", "\u1d00dmin", "admin"]],
    ["\u2d54scar", ["\u2d54scar", "Oscar", "oscar"]],
    ["\ua4ddscar", ["\ua4ddscar", "Fscar", "fscar"]],
  ])("%j claims %j", (name, values) => {
    expect(claimed(name)).toEqual(values);
  });

  test("is told by the event, and so by the name alone where it is of before", () => {
    expect(nameClaims("user.name", "\u0430dmin", {}).map(({ value }) => value)).toEqual([
      "\u0430dmin",
    ]);
  });
});

test("keys begin with no underscore, which paths have for themselves", () => {
  expect(["_search", "_", "a_", "-"].map(keyProblem)).toEqual([
    "must not begin with an underscore",
    "must not begin with an underscore",
    undefined,
    undefined,
  ]);
});

test("a key that leads a path elsewhere is none: clients take out parts that are dots", () => {
  const dots = ["..", ".", "a/..", "../b", "a/../b", "a\\..\\b", "%2e%2E/b", "a/./b", ".%2e"];
  for (const key of [...dots, "..?a", ".#a", "a/.. "]) {
    expect([key, keyProblem(key)]).toEqual([key, expect.stringContaining("one or two dots")]);
    const path = `http://host/projects/p/roles/${key}`;
    expect(new URL(path).href).not.toBe(path);
  }
  for (const key of [".\t./.\r./2", "%2\ne", "..\u0000", "a\n"]) {
    expect([key, keyProblem(key)]).toEqual([key, broken]);
    expect(new URL(`http://host/roles/${key}`).href).not.toContain(encodeURIComponent(key));
  }
  for (const key of ["a.b", "...", "a/b", "a/", "..a", "org.admin/1.0"]) {
    expect([key, keyProblem(key)]).toEqual([key, undefined]);
    expect(new URL(`http://host/roles/${key}`).pathname).toBe(`/roles/${key}`);
  }
});
