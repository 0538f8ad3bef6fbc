import { expect, test } from "@jest/globals";
import { readPageToken, writePageToken } from "../../src/api/page-token.ts";

const newest = { kind: "app", descending: true };
const byName = { ...newest, sortBy: "name" };
const first = 2n ** 53n + 1n;
const made = (...parts: readonly unknown[]) =>
  Buffer.from(JSON.stringify(parts)).toString("base64url");

test.each([
  [newest, { first }],
  [{ kind: "app", descending: false }, { first }],
  [byName, { first, folded: "" }],
  [byName, { first, folded: 'ä "😀' }],
])("a token of %j leads back to %j, there alone", (order, place) => {
  const token = writePageToken(order, place);
  expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
  expect(readPageToken(order, token)).toEqual(place);
  for (const other of [{ kind: "org" }, { sortBy: "other" }, { descending: !order.descending }]) {
    expect(readPageToken({ ...order, ...other }, token)).toBeUndefined();
  }
});

test.each([
  ["no text", ""],
  ["no JSON", "x"],
  ["no list", Buffer.from("{}").toString("base64url")],
  ["no place", made("app", "", true)],
  ["a number", made("app", "", true, 1)],
  ["no number", made("app", "", true, "1x")],
  ["less than nothing", made("app", "", true, "-1")],
  ["a number of 19 digits", made("app", "", true, "1".repeat(19))],
  ["a text that is not sorted by", made("app", "", true, "1", "a")],
  ["a list in place of a text", made("app", "", true, "1", ["a"])],
  ["too much", made("app", "", true, "1", "a", "b")],
])("a token with %s is none", (_, token) => {
  expect(readPageToken(newest, token)).toBeUndefined();
});

test("a token with more than a place is none", () => {
  const parts = ["app", "name", true, "1", "a"];
  expect(readPageToken(byName, made(...parts))).toEqual({ first: 1n, folded: "a" });
  expect(readPageToken(byName, made(...parts, "b"))).toBeUndefined();
});

test("a token of 18 digits is one", () => {
  const digits = "9".repeat(18);
  expect(readPageToken(newest, made("app", "", true, digits))).toEqual({ first: BigInt(digits) });
});
