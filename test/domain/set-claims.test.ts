import { describe, expect, test } from "@jest/globals";
import { setClaims } from "../../src/domain/set-claims.ts";

/** What comes of claims that an action sets. */

describe("claims that are set", () => {
  test.each(["plan", "email", "urn:example:plan", "constructor"])("%s is there", (name) => {
    expect(setClaims({ sub: "1" }, [{ name, value: 2 }])).toEqual({ sub: "1", [name]: 2 });
  });

  test.each(["iss", "aud", "act", "cnf", "typ", "urn:iam:org:id", "urn:zitadel:iam:x"])(
    "%s is not",
    (name) => {
      expect(setClaims({}, [{ name, value: 2 }])).toEqual({});
    },
  );

  test("leave what is there, and the first stays", () => {
    const set = ["a", "b", "b"].map((name, value) => ({ name, value: value + 1 }));
    expect(setClaims({ a: 0 }, set)).toEqual({ a: 0, b: 2 });
  });
});
