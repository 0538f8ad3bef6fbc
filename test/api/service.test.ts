import { createContextValues, type HandlerContext } from "@connectrpc/connect";
import { describe, expect, test } from "@jest/globals";
import { type Call, callKey, callOf, Refused } from "../../src/api/call.ts";
import { requireDone } from "../../src/api/service.ts";

describe("what a handler makes of an outcome", () => {
  const place = { stream: "thing-1", version: 1, position: 3n };
  const one = { ...place, owner: "o", createdMs: 1, changedMs: 2, events: [] };
  const rejection = { reason: "NAME_TAKEN", message: "Choose a different one." } as const;

  test("is what was written, and what is answered", () => {
    const done = { kind: "done", written: [one], answer: { id: "1" } } as const;
    expect(requireDone(done)).toEqual(done);
  });

  test.each([
    ["a refusal", { kind: "rejected", rejection } as const, rejection],
    [
      "a conflict",
      { kind: "conflict" } as const,
      {
        reason: "CONFLICT",
        message: "Other calls kept changing the same objects: repeat the call.",
      },
    ],
  ])("is thrown where it is %s", (_, outcome, expected) => {
    const thrown = (() => {
      try {
        return requireDone(outcome);
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toBeInstanceOf(Refused);
    expect(thrown).toMatchObject({
      name: "Refused",
      rejection: expected,
      message: expected.message,
    });
  });
});

describe("the call that a handler serves", () => {
  const call: Call = {
    caller: { userId: "u", organization: "o", memberships: [] },
    admission: { shown: { kind: "personal", tokenHash: "h" } },
    organization: "o",
    isForInactive: false,
    permission: undefined,
    ownerPermission: undefined,
    acceptLanguage: "",
  };

  test("is the one that the gate let through", () => {
    const values = createContextValues().set(callKey, call);
    expect(callOf({ values } as HandlerContext)).toBe(call);
  });

  test("is never made up", () => {
    const context = { values: createContextValues() } as HandlerContext;
    expect(() => callOf(context)).toThrow("past the gate");
  });
});
