import { expect, test } from "@jest/globals";
import { metadataLimits, setMetadataByAction } from "../../../src/domain/user/metadata.ts";
import type { UserState } from "../../../src/domain/user/state/user.ts";

const { keysOfUser, valueBytes: most } = metadataLimits;
const user = { organization: "org-a" } as UserState;
const states = { user, metadata: undefined, held: 0 };
const value = (bytes: number) => Buffer.alloc(bytes, "x").toString("base64");
const input = { organization: "org-a", userId: "u", key: "plan", value: value(1) };

test("an action gives a key a value", () => {
  const { organization: _organization, ...payload } = input;
  expect(setMetadataByAction(states, input)).toEqual({
    events: { metadata: [{ type: "user.metadata.set", payload }] },
  });
});

test.each([
  ["the largest value", states, { value: value(most) }, undefined],
  ["a value of one byte more", states, { value: value(most + 1) }, "INVALID_FIELDS"],
  ["an empty value", states, { value: "" }, "INVALID_FIELDS"],
  ["a key of ours", states, { key: "_plan" }, "INVALID_FIELDS"],
  ["a key with U+0000", states, { key: "a\0" }, "INVALID_FIELDS"],
  ["the last key", { ...states, held: keysOfUser - 1 }, {}, undefined],
  ["one key more", { ...states, held: keysOfUser }, {}, "LIMIT_REACHED"],
  ["nobody", { ...states, user: undefined }, {}, "USER_NOT_FOUND"],
  ["a user of another organization", states, { organization: "org-b" }, "USER_NOT_FOUND"],
  ["the same again", { ...states, metadata: input }, {}, "NOTHING_CHANGED"],
])("%s", (_, there, given, reason) => {
  expect(setMetadataByAction(there, { ...input, ...given }).rejection?.reason).toBe(reason);
});
