import { describe, expect, test } from "@jest/globals";
import { takingLimits } from "../../src/domain/org.ts";
import { type Dependant, endDependants, removeOrg } from "../../src/domain/org-removal.ts";
import { groupMax } from "../../src/execute/command.ts";
import { dependantLimits } from "../../src/execute/dependants.ts";

const organization = "org-1";
const there = {};
const ofProject: Dependant = {
  ...{ stream: "project-1", kind: "project" },
  parts: { group: "parts", streams: ["app-1", "app-2"] },
};
const apps: readonly Dependant[] = [
  { stream: "app-1", kind: "app" },
  { stream: "app-2", kind: "app" },
];

describe("endDependants", () => {
  const ended = (states: object) =>
    Object.keys(endDependants({ ...states }, [...apps, ofProject], { organization }));

  test("ends a project with all of its applications", () => {
    const states = { "app-1": there, "app-2": there, "project-1": there, parts: 2 };
    expect(ended(states)).toEqual(["app-1", "app-2", "project-1"]);
  });

  test("leaves out what is gone", () => {
    expect(ended({ "app-1": there, "project-1": there, parts: 1 })).toEqual(["app-1", "project-1"]);
    expect(ended({ parts: 0 })).toEqual([]);
  });

  test("leaves a project to which an application came", () => {
    const states = { "app-1": there, "app-2": there, "project-1": there, parts: 3 };
    expect(ended(states)).toEqual(["app-1", "app-2"]);
    // One went, and another came.
    expect(ended({ "app-1": there, "project-1": there, parts: 2 })).toEqual(["app-1"]);
  });

  test("ends the roles of a member, unless they are gone", () => {
    const member: Dependant = { stream: "user-1", kind: "member" };
    const scope = { level: "organization", organization } as const;
    const end = (memberships: readonly object[]) =>
      endDependants({ "user-1": { memberships } }, [member], { organization })["user-1"];
    expect(end([{ scope, roles: ["ORG_OWNER"] }])).toEqual([
      { type: "user.memberships.removed", payload: { organization } },
    ]);
    expect(end([{ scope: { level: "instance" }, roles: ["IAM_OWNER"] }])).toEqual([]);
  });
});

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
