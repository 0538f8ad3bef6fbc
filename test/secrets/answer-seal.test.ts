import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { type AnswerSeal, showKey } from "../../src/secrets/answer-seal.ts";

const called = { caller: "user-1", method: "iam.v1.Service/Method" };
const text = new TextEncoder().encode("what was told once");

/** Seals of calls that differ from the first in one thing each. */
const seal = showKey("token", "key")(called);
const others: readonly (readonly [string, AnswerSeal])[] = [
  ["token", showKey("token-2", "key")(called)],
  ["key", showKey("token", "key-2")(called)],
  ["caller", showKey("token", "key")({ ...called, caller: "user-2" })],
  ["method", showKey("token", "key")({ ...called, method: "iam.v1.Service/Other" })],
];

describe("the seal of an answer", () => {
  test("opens what the same call sealed, as the part that it is", () => {
    const sealed = seal.seal("answer", text, randomBytes);
    const again = showKey("token", "key")(called);
    expect(Buffer.from(again.open("answer", sealed))).toEqual(Buffer.from(text));
    expect(() => again.open("secret", sealed)).toThrow();
    expect(Buffer.from(sealed).includes(Buffer.from(text))).toBe(false);
  });

  test("is another one each time", () => {
    const [one, other] = [1, 2].map(() => seal.seal("answer", text, randomBytes));
    expect(one).not.toEqual(other);
  });

  test("does not open what was changed in any byte", () => {
    const sealed = seal.seal("answer", text, randomBytes);
    for (const at of sealed.keys()) {
      const changed = Uint8Array.from(sealed, (byte, i) => (i === at ? byte ^ 1 : byte));
      expect(() => seal.open("answer", changed)).toThrow();
    }
    expect(() => seal.open("answer", sealed.subarray(0, 20))).toThrow();
  });

  test.each(others)("is not that of another %s", (_, other) => {
    const sealed = seal.seal("secret", text, randomBytes);
    expect(() => other.open("secret", sealed)).toThrow();
    expect(other.print(text)).not.toEqual(seal.print(text));
  });

  test("has one name for all tokens of a caller, and another for any other call", () => {
    const [[, token], ...rest] = others as [(typeof others)[0], ...typeof others];
    expect(token.name).toBe(seal.name);
    for (const [, other] of rest) expect(other.name).not.toBe(seal.name);
  });

  test("prints the same request alike, and another one otherwise", () => {
    expect(seal.print(text)).toEqual(showKey("token", "key")(called).print(text));
    expect(seal.print(text)).not.toEqual(seal.print(text.subarray(1)));
  });
});
