import { describe, expect, test } from "@jest/globals";
import {
  addGrant,
  type GrantEvent,
  type GrantState,
  grant,
  grantLimits,
  removeGrant,
  rolesOf,
  switchGrant,
  updateGrant,
} from "../../src/domain/grant.ts";
import { grantNames, removeGrants } from "../../src/domain/grant-removal.ts";
import type { ProjectState } from "../../src/domain/project.ts";
import type { ProjectGrantState } from "../../src/domain/project-grant.ts";
import { type RoleState, roleName } from "../../src/domain/role.ts";
import { fc } from "../harness/laws.ts";
import { holdLaws, type LifeCommand } from "./laws.ts";
import { person } from "./user/people.ts";
import { home, inactive, manager, orgOwner, userWith } from "./user/users.ts";

const project: ProjectState = {
  ...{ name: "P", organization: home, projectRoleAssertion: false, projectRoleCheck: false },
  ...{ hasProjectCheck: false, privateLabelingSetting: "UNSPECIFIED" },
};
const role = (key: string, projectId = "p"): RoleState => ({
  ...{ key, projectId, displayName: key, group: "", organization: home },
});
const [a, b] = [role("a"), role("b")];
const roles = { [roleName("a")]: a, [roleName("b")]: b };
const state: GrantState = {
  ...{ userId: "user", projectId: "p", roleIds: ["a"], userType: "MACHINE", organization: home },
};
/** A project of another organization, which `home` was granted with one of its roles. */
const theirs = { ...project, organization: "org-b" };
const projectGrant: ProjectGrantState = {
  ...{ projectId: "p", grantedOrgId: home, roleIds: ["a"], organization: "org-b" },
};
const resting = { ...state, projectGrantId: "g" };
const acting = { user: userWith(), caller: manager, project, grant: undefined, ...roles };
const acted = { organization: home, userId: "user" };
const given = { ...acted, projectId: "p", roleIds: ["a", "b", "a"] };
const { grantsOfUser: most } = grantLimits;
const elsewhere = userWith({ organization: "b" });

describe("addGrant", () => {
  const add = (
    more: object = {},
    held = 0,
    roleIds: readonly (string | undefined)[] = ["a", "b"],
  ) => addGrant({ ...acting, held, ...more }, { ...given, roleIds });

  test.each([
    ["roles of a machine", {}, 0, "MACHINE"],
    ["the last grant that there is room for", {}, most - 1, "MACHINE"],
    ["roles of a person", { user: person() }, 0, "HUMAN"],
    ["roles of a user who is out of use", { user: inactive(userWith()) }, 0, "MACHINE"],
  ])("records %s", (_, more, held, userType) => {
    const payload = { userId: "user", projectId: "p", roleIds: ["a", "b"], userType };
    const event = { type: "user.grant.added", payload };
    expect(add(more, held)).toEqual({ events: { grant: [event] } });
  });

  test("names a role once that is given twice", () => {
    const [event] = add({}, 0, given.roleIds).events.grant ?? [];
    expect(event?.payload).toMatchObject({ roleIds: ["a", "b"] });
  });

  test.each([
    ["one grant more", {}, most, ["a"], "LIMIT_REACHED"],
    ["a key that no role has", {}, 0, ["a", undefined], "PROJECT_ROLE_NOT_FOUND"],
    ["a role that is gone", { [roleName("a")]: undefined }, 0, ["a"], "PROJECT_ROLE_NOT_FOUND"],
    ["a role elsewhere", { [roleName("a")]: role("a", "q") }, 0, ["a"], "PROJECT_ROLE_NOT_FOUND"],
    ["no project", { project: undefined }, 0, ["a"], "PROJECT_NOT_FOUND"],
    ["another's", { project: { ...project, organization: "b" } }, 0, ["a"], "PROJECT_NOT_FOUND"],
    ["nobody", { user: undefined }, 0, ["a"], "USER_NOT_FOUND"],
    ["a user elsewhere", { user: elsewhere }, 0, ["a"], "USER_NOT_FOUND"],
    ["who holds more", { user: orgOwner }, 0, ["a"], "ESCALATION_DENIED"],
    ["a caller who is gone", { user: manager, caller: undefined }, 0, ["a"], "ESCALATION_DENIED"],
  ])("refuses %s", (_, more, held, roleIds, reason) => {
    const { events, rejection } = add(more, held, roleIds);
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });
});

describe("a customer that gives more than it was granted: a grant by a project grant", () => {
  const states = { ...acting, project: theirs, projectGrant, held: 0 };
  const add = (more: object = {}, asked: object = {}) =>
    addGrant({ ...states, ...more }, { ...given, roleIds: ["a"], projectGrantId: "g", ...asked });

  test("is recorded with it", () => {
    const payload = { userId: "user", projectId: "p", roleIds: ["a"], userType: "MACHINE" };
    const event = { type: "user.grant.added", payload: { ...payload, projectGrantId: "g" } };
    expect(add()).toEqual({ events: { grant: [event] } });
  });

  const noGrant = "PROJECT_GRANT_NOT_FOUND";
  test.each([
    ["a role outside of it", {}, { roleIds: ["a", "b"] }, "PROJECT_ROLE_NOT_FOUND"],
    ["one that is gone", { projectGrant: undefined }, {}, noGrant],
    ["another's", { projectGrant: { ...projectGrant, grantedOrgId: "c" } }, {}, noGrant],
    ["one of another project", { projectGrant: { ...projectGrant, projectId: "q" } }, {}, noGrant],
    ["one whose project is gone", { project: undefined }, {}, noGrant],
    ["one that is not named", {}, { projectGrantId: undefined }, "PROJECT_NOT_FOUND"],
    ["a user elsewhere", { user: elsewhere }, {}, "USER_NOT_FOUND"],
  ])("refuses %s", (_, more, asked, reason) => {
    const { events, rejection } = add(more, asked);
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });

  test("is changed within it, and not without it", () => {
    const held = { ...states, grant: resting, projectGrant: { ...projectGrant, roleIds: ["b"] } };
    const reasonOf = (more: object, roleIds = ["b"]) =>
      updateGrant({ ...held, ...more }, { ...given, roleIds }).rejection?.reason;
    expect(reasonOf({})).toBeUndefined();
    expect(reasonOf({}, ["a"])).toBe("PROJECT_ROLE_NOT_FOUND");
    expect(reasonOf({ projectGrant: undefined })).toBe("USER_GRANT_NOT_FOUND");
  });
});

describe("a change of a grant", () => {
  const held = { ...acting, grant: state };
  const decisions = {
    updateGrant: (more: object = {}) => updateGrant({ ...held, ...more }, given),
    switchGrant: (more: object = {}) =>
      switchGrant({ ...held, ...more }, { ...acted, isInactive: true }),
    removeGrant: (more: object = {}) => removeGrant({ ...held, ...more }, acted),
  };

  test.each([
    ["updateGrant", { type: "user.grant.changed", payload: { roleIds: ["a", "b"] } }],
    ["switchGrant", { type: "user.grant.deactivated", payload: {} }],
    ["removeGrant", { type: "user.grant.removed", payload: {} }],
  ] as const)("%s records it", (name, event) => {
    expect(decisions[name]()).toEqual({ events: { grant: [event] } });
  });

  test.each(
    (["updateGrant", "switchGrant", "removeGrant"] as const).flatMap((name) =>
      [
        ["no grant", { grant: undefined }, "USER_GRANT_NOT_FOUND"],
        ["another's grant", { grant: { ...state, userId: "x" } }, "USER_GRANT_NOT_FOUND"],
        ["a grant whose project is gone", { project: undefined }, "USER_GRANT_NOT_FOUND"],
        ["a user elsewhere", { user: elsewhere }, "USER_NOT_FOUND"],
        ["who holds more", { user: orgOwner }, "ESCALATION_DENIED"],
      ].map(([what, more, reason]) => [name, what, more, reason] as const),
    ),
  )("%s refuses %s", (name, _what, more, reason) => {
    const { events, rejection } = decisions[name](more as object);
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });

  test("refuses what is so already", () => {
    const same = { ...given, roleIds: ["b", "a", "b"] };
    const both = { ...held, grant: { ...state, roleIds: ["a", "b"] } };
    expect(updateGrant(both, same).rejection?.reason).toBe("NOTHING_CHANGED");
    expect(switchGrant(held, { ...acted, isInactive: false }).rejection?.reason).toBe(
      "NOTHING_CHANGED",
    );
  });

  test("replaces a role by another of the same number", () => {
    const other = { ...given, roleIds: ["b"] };
    expect(updateGrant(held, other).events.grant).toHaveLength(1);
  });

  test("refuses a role that is gone", () => {
    const states = { ...held, [roleName("b")]: undefined };
    expect(updateGrant(states, given).rejection?.reason).toBe("PROJECT_ROLE_NOT_FOUND");
  });
});

describe("removeGrants", () => {
  const places = ["g", "h"].map((grantId) => ({ grantId, userId: "user", projectId: "p" }));
  const [one, other] = places.map(grantNames) as [
    ReturnType<typeof grantNames>,
    ReturnType<typeof grantNames>,
  ];
  const states = {
    ...{ caller: manager, [one.grant]: state, [other.grant]: state },
    ...{ [one.user]: userWith(), [one.project]: project },
  };
  const remove = (more: object = {}) => removeGrants({ ...states, ...more }, places, acted);

  test("removes all of them", () => {
    const removed = [{ type: "user.grant.removed", payload: {} }];
    expect(remove()).toEqual({ events: { [one.grant]: removed, [other.grant]: removed } });
  });

  test.each([
    ["one is gone", { [other.grant]: undefined }, "USER_GRANT_NOT_FOUND"],
    ["one is of a user elsewhere", { [one.user]: elsewhere }, "USER_GRANT_NOT_FOUND"],
    ["one is of who holds more", { [one.user]: orgOwner }, "ESCALATION_DENIED"],
  ])("removes none where %s", (_, more, reason) => {
    const { events, rejection } = remove(more);
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });
});

describe("rolesOf", () => {
  const all = { grant: state, user: userWith(), project, roles: [a, undefined, b] };
  const byOne = { grant: { ...resting, roleIds: ["a", "b"] }, roles: [a, b], project: theirs };

  test.each<[string, Partial<Parameters<typeof rolesOf>[0]>, readonly string[]]>([
    ["all that are there", {}, ["a", "b"]],
    ["none without a grant", { grant: undefined }, []],
    ["none by an inactive grant", { grant: { ...state, isInactive: true } }, []],
    ["none of a user who is gone", { user: undefined }, []],
    ["none of an inactive user", { user: inactive(userWith()) }, []],
    ["none of a project that is gone", { project: undefined }, []],
    ["none of an inactive project", { project: { ...project, isInactive: true } }, []],
    ["none that is gone", { roles: [undefined] }, []],
    ["those in the project grant", { ...byOne, projectGrant }, ["a"]],
    ["none without the project grant", byOne, []],
    [
      "none by one that is inactive",
      { ...byOne, projectGrant: { ...projectGrant, isInactive: true } },
      [],
    ],
  ])("says %s", (_, more, expected) => {
    expect(rolesOf({ ...all, ...more })).toEqual(expected);
  });
});

test("a grant is found by its user, its project and each of its roles, and is listed", () => {
  expect(grant.claims({ ...state, roleIds: ["a", "b"] })).toEqual([
    { kind: "grant.user", scope: "user", value: "p" },
    { kind: "grant.project", scope: "p", value: "user" },
    { kind: "grant.role", scope: "a", value: "user" },
    { kind: "grant.role", scope: "b", value: "user" },
  ]);
  const fields = { userId: "user", projectId: "p", userType: "MACHINE", projectGrantId: "" };
  expect(grant.row(state)).toEqual({ parent: home, fields });
  expect(grant.claims(resting)).toContainEqual({
    ...{ kind: "grant.projectGrant", scope: "g", value: "user" },
  });
  expect(grant.row(resting).fields).toMatchObject({ projectGrantId: "g" });
});

describe("laws", () => {
  const command = fc
    .record({
      way: fc.nat(4),
      roleIds: fc.uniqueArray(fc.constantFrom("a", "b"), { minLength: 1 }),
      caller: fc.constantFrom(undefined, manager, orgOwner),
    })
    .map<LifeCommand<GrantState, GrantEvent>>(({ way, roleIds, caller }) => (known) => {
      const states = { ...acting, caller, grant: known, held: 0 };
      const decide = () => {
        const named = { ...given, roleIds };
        if (known === undefined) return addGrant(states, named);
        if (way === 0) return updateGrant(states, named);
        if (way === 1) return removeGrant(states, acted);
        return switchGrant(states, { ...acted, isInactive: way === 2 });
      };
      const { events, rejection } = decide();
      return { events: events.grant ?? [], ...(rejection ? { rejection } : {}) };
    });

  holdLaws(grant, command);
});
