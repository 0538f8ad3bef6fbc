import { describe, expect, test } from "@jest/globals";
import { takingLimits } from "../../src/domain/org.ts";
import { removeOrg } from "../../src/domain/removal.ts";
import { groupMax } from "../../src/execute/command.ts";
import { dependantLimits } from "../../src/execute/dependants.ts";

const organization = "org-1";
describe("removeOrg", () => {
  const org = { name: "Acme" };
  const instance = { organization: "first", keyChecks: [] };
  const states = { org, instance, caller: undefined, otherOwners: 1, beyond: 0, outranked: 0 };
  const reasonFor = (given: object) =>
    removeOrg({ ...states, ...given }, [], { organization }).rejection?.reason;

  test.each<[string | undefined, object]>([
    [undefined, {}],
    [undefined, { beyond: takingLimits.beyond, outranked: takingLimits.beyond }],
    ["LIMIT_REACHED", { beyond: takingLimits.beyond + 1, outranked: takingLimits.beyond }],
    ["ESCALATION_DENIED", { beyond: 2, outranked: 1 }],
    ["LAST_OWNER", { otherOwners: 0 }],
    ["NOTHING_CHANGED", { org: undefined }],
    ["INSTANCE_ORGANIZATION", { instance: { ...instance, organization } }],
  ])("answers %s", (reason, given) => {
    expect(reasonFor(given)).toBe(reason);
  });
});

test("what is looked at and what ends at once is what a command can count and write", () => {
  expect([takingLimits.beyond, dependantLimits.atOnce]).toEqual([groupMax, groupMax]);
});
