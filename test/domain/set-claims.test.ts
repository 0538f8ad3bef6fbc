import { describe, expect, test } from "@jest/globals";
import {
  isSettable,
  nothingSet,
  setClaimLimits,
  takeClaims,
  withSet,
} from "../../src/domain/set-claims.ts";

const setting = (name: string, value: unknown) => ({ kind: "setClaim", name, value });
const logging = (value: unknown) => ({ kind: "appendLogIntoClaims", name: "", value });
const take = (...effects: readonly ReturnType<typeof setting>[]) =>
  takeClaims({ sub: "u", told: "e" }, nothingSet, { action: "a", effects });

test.each([
  "iss",
  "sub",
  "aud",
  "act",
  "cnf",
  "typ",
  "scope",
  "groups",
  "urn:iam:x",
  "urn:zitadel:iam:x",
])("%s is reserved", (name) => {
  expect(isSettable(name)).toBe(false);
  expect(take(setting(name, 1))).toEqual({
    set: {},
    logs: { a: [`key "${name}" is reserved`] },
  });
});

/** The claims of OpenID Connect Core 1.0, 5.1. */
const standard = [
  ...["sub", "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username"],
  ...["profile", "picture", "website", "email", "email_verified", "gender", "birthdate"],
  ...["zoneinfo", "locale", "phone_number", "phone_number_verified", "address", "updated_at"],
] as const;

test.each([...standard, "active", "username", "token_type"])(
  "a script that says who somebody is does not set %s",
  (name) => {
    expect(take(setting(name, 1)).set).toEqual({});
  },
);

test.each(["plan", "names", "urn:example:plan", "constructor", "urn:iamx:y"])(
  "%s can be set",
  (name) => {
    expect(take(setting(name, 1)).set).toEqual({ [name]: 1 });
  },
);

test("the first stays, no matter who set it", () => {
  const taken = take(setting("told", "x"), setting("a", 1), setting("a", 2));
  expect(taken.set).toEqual({ a: 1 });
  expect(taken.logs.a).toEqual(['key "told" already exists', 'key "a" already exists']);
  const later = takeClaims({}, taken, { action: "b", effects: [setting("a", 3)] });
  expect(withSet({ sub: "u" }, later)).toEqual({
    ...{ sub: "u", a: 1 },
    "urn:iam:action:a:log": taken.logs.a,
    "urn:iam:action:b:log": ['key "a" already exists'],
  });
});

test("what is logged is text", () => {
  expect(take(logging("x"), logging({ y: 1 })).logs).toEqual({ a: ["x", '{"y":1}'] });
});

describe("the room", () => {
  const { bytes: most } = setClaimLimits;

  test.each([
    ["is for as many bytes", "x", most - 8, true],
    ["is not for one more", "x", most - 7, false],
    ["counts bytes, not letters", "é", most / 2, false],
  ])("%s", (_, letter, count, isTaken) => {
    const { set } = take(setting("a", letter.repeat(count)));
    expect("a" in set).toBe(isTaken);
  });

  test("is not filled by logs without an end", () => {
    const lines = Array.from({ length: 200 }, () => logging("x".repeat(100)));
    const { logs } = take(...lines);
    const bytes = 2 * JSON.stringify({ "urn:iam:action:a:log": logs.a }).length;
    expect(bytes).toBeLessThanOrEqual(most);
    expect(bytes).toBeGreaterThan(most - 210);
  });
});
