import { expect, test } from "@jest/globals";
import { refuseSameStatus, type Status, withStatus } from "../../src/domain/status.ts";

interface Named extends Status {
  readonly name: string;
}

const active: Named = { name: "Shop" };
const inactive: Named = { name: "Shop", isInactive: true };

test.each([
  ["an active one", active, true, inactive],
  ["an active one", active, false, active],
  ["an inactive one", inactive, true, inactive],
  ["an inactive one", inactive, false, active],
])("%s becomes what it should and keeps the rest", (_, state, isInactive, expected) => {
  const before = structuredClone(state);
  expect(withStatus(state, isInactive)).toStrictEqual(expected);
  expect(state).toStrictEqual(before);
});

test.each([
  ["an active one", active, true, undefined],
  ["an inactive one", inactive, false, undefined],
  ["an active one", active, false, "The call would change nothing."],
  ["an inactive one", inactive, true, "The call would change nothing."],
])("%s is refused where nothing would change", (_, state, isInactive, message) => {
  const expected = { events: {}, rejection: { reason: "NOTHING_CHANGED", message } };
  expect(refuseSameStatus(state, isInactive)).toEqual(message === undefined ? undefined : expected);
});
