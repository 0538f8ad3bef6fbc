import { expect, test } from "@jest/globals";
import type { Scope } from "../../../src/domain/permission.ts";
import type { ProjectState } from "../../../src/domain/project.ts";
import { updateMembership } from "../../../src/domain/user/membership.ts";
import { makerName } from "../../../src/domain/user/raise.ts";
import {
  held,
  home,
  inHome,
  instance,
  maker,
  manager,
  now,
  onProject,
  orgOwner,
  owner,
  userWith,
} from "./users.ts";

/** How the roles of a member are replaced. */

const raised = { userId: "u", initializationCode: "fresh" } as const;
const roles = ["ORG_USER_MANAGER", "ORG_OWNER_VIEWER"] as const;
const member = userWith({ memberships: held({ scope: inHome, roles }) });
const foreign = { ...member, organization: "org-b" };
const grant = { scope: inHome, permission: "org.member.write", ...raised } as const;
const update = (given: readonly string[], states: object = {}, more: object = {}) => {
  const all = { user: member, caller: orgOwner, owners: 2, ...states };
  const { events, rejection } = updateMembership(all, { ...grant, roles: given, ...more }, now);
  return rejection?.reason ?? events.user;
};
const changed = (scope: Scope, recorded: readonly string[]) => [
  { type: "user.membership.changed", payload: { scope, roles: recorded } },
];

test.each([
  ["one role fewer", ["ORG_USER_MANAGER"]],
  ["one role more", [...roles, "ORG_SETTINGS_MANAGER"]],
  ["another role", ["ORG_OWNER"]],
])("records %s", (_, given) => {
  expect(update(given)).toEqual(changed(inHome, given));
  expect(update([...given, given[0]!])).toEqual(changed(inHome, given));
});

test("refuses roles that are so already, in whatever order", () => {
  expect(update(roles)).toBe("NOTHING_CHANGED");
  expect(update([...roles.toReversed(), roles[0]])).toBe("NOTHING_CHANGED");
});

test.each([
  ["an unknown user", { user: undefined }, "MEMBER_NOT_FOUND"],
  ["who is no member there", { user: userWith() }, "MEMBER_NOT_FOUND"],
  ["a caller who does not hold what is given", { caller: manager }, "ESCALATION_DENIED"],
  ["a caller who is gone", { caller: undefined }, "ESCALATION_DENIED"],
  ["a member of another organization, who would gain", { user: foreign }, "USER_NOT_FOUND"],
])("refuses %s", (_, states, reason) => {
  expect(update(["ORG_OWNER"], states)).toBe(reason);
});

test("refuses a caller who does not hold what is taken", () => {
  expect(update(["ORG_USER_MANAGER"], { caller: manager })).toBe("ESCALATION_DENIED");
  const own = userWith({ memberships: held({ scope: inHome, roles: ["ORG_USER_MANAGER"] }) });
  expect(update(["ORG_OWNER_VIEWER"], { user: own, caller: manager })).toBe("ESCALATION_DENIED");
});

test("takes from a member of another organization, and gives by who may there", () => {
  const taken = ["ORG_USER_MANAGER"];
  expect(update(taken, { user: foreign })).toEqual(changed(inHome, taken));
  expect(update(["ORG_OWNER"], { user: foreign, caller: owner })).toEqual(
    changed(inHome, ["ORG_OWNER"]),
  );
});

test("names every role that is not one of the scope", () => {
  expect(update(["ORG_OWNER", "IAM_OWNER"])).toBe("INVALID_FIELDS");
});

test("finds a project in its organization alone", () => {
  const [scope, given] = [onProject, ["PROJECT_OWNER"]];
  const user = userWith({ memberships: held({ scope, roles: ["PROJECT_OWNER"] }) });
  const project = (organization: string) => ({ organization }) as ProjectState;
  const on = (states: object) => update(given, { user, ...states }, { scope });
  expect(on({ project: project(home) })).toBe("NOTHING_CHANGED");
  expect(on({ project: project("org-b") })).toBe("PROJECT_NOT_FOUND");
  expect(on({})).toBe("PROJECT_NOT_FOUND");
});

test("leaves the last owner of the instance one", () => {
  const states = { user: owner, caller: owner };
  const onInstance = (given: readonly string[], owners: number) =>
    update(given, { ...states, owners }, { scope: instance });
  const viewer = ["IAM_OWNER_VIEWER"];
  expect(onInstance(viewer, 1)).toBe("LAST_OWNER");
  expect(onInstance(viewer, 2)).toEqual(changed(instance, viewer));
  const both = ["IAM_OWNER", ...viewer];
  expect(onInstance(both, 1)).toEqual(changed(instance, both));
});

test("voids what a lesser user made for who gains by it, and for nobody else", () => {
  const tokens = { t: { tokenHash: "h", maker, addedMs: now } };
  const user = { ...member, tokens };
  const maker1 = { [makerName(maker)]: manager };
  const voided = { voided: [{ kind: "token", id: "t" }] };
  expect(update(["ORG_OWNER"], { user, ...maker1 })).toEqual([
    { type: "user.credentials.voided", payload: voided },
    ...changed(inHome, ["ORG_OWNER"]),
  ]);
  const taken = ["ORG_USER_MANAGER"];
  expect(update(taken, { user, ...maker1 })).toEqual(changed(inHome, taken));
});
