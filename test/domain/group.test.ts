import { describe, expect, test } from "@jest/globals";
import { type GrantState, grant, grantLimits, rolesOf } from "../../src/domain/grant.ts";
import { addGroup, type GroupEvent, type GroupState, group } from "../../src/domain/group.ts";
import {
  addMember,
  grantToGroup,
  removeGroup,
  removeGroupGrant,
  removeMember,
  updateGroup,
  updateGroupGrant,
} from "../../src/domain/group-change.ts";
import type { ProjectState } from "../../src/domain/project.ts";
import { roleName } from "../../src/domain/role.ts";
import { joinedLimits } from "../../src/domain/user/state/joined.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { fc } from "../harness/laws.ts";
import { holdLaws, type LifeCommand, text } from "./laws.ts";
import { home, inactive, manager, orgOwner, userWith } from "./user/users.ts";

const organization = "org-of-the-test";
const input = { name: "Writers", description: "Those who write" };
const state: GroupState = { ...input, organization: home };
const acted = { organization: home, groupId: "g", userId: "user" };
const acting = { group: state, caller: orgOwner, managers: 0, outranked: 0 };
const project: ProjectState = {
  ...{ name: "P", organization: home, projectRoleAssertion: false, projectRoleCheck: false },
  ...{ hasProjectCheck: false, privateLabelingSetting: "UNSPECIFIED" },
};
const role = { key: "a", projectId: "p", displayName: "a", group: "", organization: home };
const given: GrantState = { groupId: "g", projectId: "p", roleIds: ["a"], organization: home };
const elsewhere = { ...state, organization: "b" };

/** What every group refuses, whatever is to be done to it. */
const refusals = [
  ["no group", { group: undefined }, "GROUP_NOT_FOUND"],
  ["another's group", { group: elsewhere }, "GROUP_NOT_FOUND"],
  ["rights by way of a group from who may not grant", { caller: manager }, "PERMISSION_DENIED"],
  ["a caller who is gone", { caller: undefined }, "PERMISSION_DENIED"],
] as const;
/** What those refuse besides that reach each member. */
const ofMembers = [
  ...refusals,
  [
    "rights by way of a group in which somebody holds more",
    { managers: 2, outranked: 1 },
    "ESCALATION_DENIED",
  ],
] as const;

describe("updateGroup", () => {
  const update = (more: object = {}, to = { ...input, name: "Authors" }) =>
    updateGroup({ ...acting, ...more }, acted, to);

  test("records both", () => {
    const payload = { ...input, name: "Authors" };
    expect(update()).toEqual({ events: { group: [{ type: "group.changed", payload }] } });
  });

  test.each(ofMembers)("refuses %s", (_, more, reason) => {
    const { events, rejection } = update(more);
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });

  test("describes a group whatever its members hold, and one who may not grant", () => {
    const more = { managers: 2, outranked: 1, caller: manager };
    expect(update(more, { ...input, description: "" }).rejection).toBeUndefined();
  });

  test("refuses what is so already", () => {
    expect(update({}, input).rejection?.reason).toBe("NOTHING_CHANGED");
  });
});

describe("members", () => {
  const all = { ...acting, user: userWith() };
  const member = userWith({ groups: ["f", "g"] });
  const full = userWith({ groups: Array.from({ length: joinedLimits.groupsOfUser }, String) });

  test("join", () => {
    const event = { type: "user.group.joined", payload: { groupId: "g" } };
    expect(addMember(all, acted)).toEqual({ events: { user: [event] } });
  });

  test("leave", () => {
    const event = { type: "user.group.left", payload: { groupId: "g" } };
    expect(removeMember({ ...all, user: member }, acted)).toEqual({ events: { user: [event] } });
  });

  test.each([
    ...refusals,
    ["a member", { user: member }, "MEMBER_EXISTS"],
    ["one group too many", { user: full }, "LIMIT_REACHED"],
    ["who is of another organization", { user: userWith({ organization: "b" }) }, "USER_NOT_FOUND"],
    ["who holds more", { user: { ...orgOwner }, caller: manager }, "ESCALATION_DENIED"],
  ])("do not join: %s", (_, more, reason) => {
    const { events, rejection } = addMember({ ...all, ...more }, acted);
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });

  test.each([
    ...refusals,
    ["who is no member", { user: userWith({ groups: ["f"] }) }, "MEMBER_NOT_FOUND"],
    [
      "who holds more",
      { user: { ...orgOwner, groups: ["g"] }, caller: manager },
      "ESCALATION_DENIED",
    ],
  ])("do not leave: %s", (_, more, reason) => {
    const { events, rejection } = removeMember({ ...all, user: member, ...more }, acted);
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });

  test("are found by their groups, and by what they may do here", () => {
    const ofGroups = (holder: typeof member) =>
      user.claims(holder).filter(({ kind }) => kind.startsWith("user.group"));
    const value = "robot";
    expect(ofGroups(member)).toEqual([
      { kind: "user.group", scope: "f", value },
      { kind: "user.group", scope: "g", value },
    ]);
    expect(ofGroups({ ...orgOwner, groups: ["g"] })).toEqual([
      { kind: "user.group", scope: "g", value },
      { kind: "user.group.manager", scope: "g", value },
    ]);
  });
});

describe("grants of groups", () => {
  const roles = { [roleName("a")]: role, [roleName("b")]: { ...role, key: "b" } };
  const all = { ...acting, ...roles, project, grant: given, held: 0 };
  const giving = { ...acted, projectId: "p", roleIds: ["b", "a", "b"] };
  const { grantsOfGroup: most } = grantLimits;

  test("name each role once", () => {
    const payload = { groupId: "g", projectId: "p", roleIds: ["b", "a"] };
    const event = { type: "group.grant.added", payload };
    expect(grantToGroup({ ...all, held: most - 1 }, giving)).toEqual({
      events: { grant: [event] },
    });
  });

  test("get other roles, and are removed", () => {
    const changed = { type: "group.grant.changed", payload: { roleIds: ["b", "a"] } };
    expect(updateGroupGrant(all, giving)).toEqual({ events: { grant: [changed] } });
    const removed = { type: "group.grant.removed", payload: {} };
    expect(removeGroupGrant(all, acted)).toEqual({ events: { grant: [removed] } });
  });

  test.each<readonly [string, object, string]>([
    ...ofMembers,
    ["one grant more than there is room for", { held: most }, "LIMIT_REACHED"],
    ["another's project", { project: { ...project, organization: "b" } }, "PROJECT_NOT_FOUND"],
    ["a role that is gone", { [roleName("b")]: undefined }, "PROJECT_ROLE_NOT_FOUND"],
  ])("are not added: %s", (_, more, reason) => {
    const { events, rejection } = grantToGroup({ ...all, ...more }, giving);
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });

  test.each<readonly [string, object, string]>([
    ...ofMembers,
    ["no grant", { grant: undefined }, "GROUP_GRANT_NOT_FOUND"],
    ["one of another group", { grant: { ...given, groupId: "f" } }, "GROUP_GRANT_NOT_FOUND"],
    ["one of a project that is gone", { project: undefined }, "GROUP_GRANT_NOT_FOUND"],
  ])("are not changed: %s", (_, more, reason) => {
    for (const change of [updateGroupGrant, removeGroupGrant]) {
      const { events, rejection } = change({ ...all, ...more }, giving);
      expect([events, rejection?.reason]).toEqual([{}, reason]);
    }
  });

  test("are found by group, project and each role, and listed by the group", () => {
    expect(grant.claims(given)).toEqual([
      { kind: "grant.group", scope: "g", value: "p" },
      { kind: "grant.project", scope: "p", value: "g" },
      { kind: "grant.role", scope: "a", value: "g" },
    ]);
    const fields = { userId: "", projectId: "p", userType: "", projectGrantId: "" };
    expect(grant.row(given)).toEqual({ parent: "g", fields });
  });

  const resting = { grant: given, group: state, user: userWith({ groups: ["g"] }), project };
  test.each<readonly [string, object, readonly string[]]>([
    ["all to a member", {}, ["a"]],
    ["none to anybody else", { user: userWith({ groups: ["f"] }) }, []],
    ["none to an inactive member", { user: inactive(resting.user) }, []],
    ["none by a group that is gone", { group: undefined }, []],
    ["none of a project that is gone", { project: undefined }, []],
  ])("give %s", (_, more, expected) => {
    expect(rolesOf({ ...resting, roles: [role], ...more })).toEqual(expected);
  });
});

describe("laws", () => {
  const command = fc
    .record({ look: fc.record({ name: text(40), description: text(40) }), way: fc.nat(4) })
    .map<LifeCommand<GroupState, GroupEvent>>(({ look, way }) => (known) => {
      if (known === undefined) return { events: addGroup(look).events.group ?? [] };
      const states = { ...acting, caller: undefined, group: known };
      const { events, rejection } =
        way === 0
          ? removeGroup(states, [], { organization, groupId: "g" })
          : updateGroup(states, { organization }, { ...look, name: known.name });
      const its = (events.group ?? []) as readonly GroupEvent[];
      return { events: its, ...(rejection ? { rejection } : {}) };
    });

  holdLaws(group, command);
});
