import { describe, expect, test } from "@jest/globals";
import type { ProjectState } from "../../src/domain/project.ts";
import {
  addProjectGrant,
  isGranted,
  type ProjectGrantEvent,
  type ProjectGrantState,
  projectGrant,
  projectGrantLimits,
  switchProjectGrant,
  updateProjectGrant,
  withdrawRole,
} from "../../src/domain/project-grant.ts";
import { removeProjectGrant } from "../../src/domain/removal.ts";
import { type RoleState, roleName } from "../../src/domain/role.ts";
import { fc } from "../harness/laws.ts";
import { holdLaws, type LifeCommand } from "./laws.ts";

const organization = "org-of-the-test";
const frame = { organization, projectId: "p" };
const project: ProjectState = {
  ...{ name: "P", organization, projectRoleAssertion: false, projectRoleCheck: false },
  ...{ hasProjectCheck: false, privateLabelingSetting: "UNSPECIFIED" },
};
const role = (key: string, projectId = "p"): RoleState => ({
  ...{ key, projectId, displayName: key, group: "", organization },
});
const roles = { [roleName("a")]: role("a"), [roleName("b")]: role("b") };
const state: ProjectGrantState = {
  ...{ projectId: "p", grantedOrgId: "org-b", roleIds: ["a"], organization },
};
const grantedOrg = { name: "B", nameClaim: "b" };
const given = { ...frame, grantedOrgId: "org-b", roleIds: ["a", "b", "a"] };
const { grantsOfProject: most, projectsToOrganization: mostTo } = projectGrantLimits;

describe("addProjectGrant", () => {
  const add = (more: object = {}, asked: object = {}) =>
    addProjectGrant(
      { project, grantedOrg, held: 0, between: 0, ...roles, ...more },
      { ...given, ...asked },
    );

  test.each<[string, object, object, readonly string[]]>([
    ["roles, each once", {}, {}, ["a", "b"]],
    ["no roles", {}, { roleIds: [] }, []],
    ["the last that there is room for", { held: most - 1 }, {}, ["a", "b"]],
    ["the last that one organization is granted", { between: mostTo - 1 }, {}, ["a", "b"]],
    [
      "to one that is out of use",
      { grantedOrg: { ...grantedOrg, isInactive: true } },
      {},
      ["a", "b"],
    ],
  ])("records %s", (_, more, asked, roleIds) => {
    const payload = { projectId: "p", grantedOrgId: "org-b", roleIds };
    const event = { type: "project.grant.added", payload };
    expect(add(more, asked)).toEqual({ events: { projectGrant: [event] } });
  });

  test.each([
    ["one more", { held: most }, {}, "LIMIT_REACHED"],
    ["one more to an organization", { between: mostTo }, {}, "LIMIT_REACHED"],
    ["no project", { project: undefined }, {}, "PROJECT_NOT_FOUND"],
    ["another's", { project: { ...project, organization: "b" } }, {}, "PROJECT_NOT_FOUND"],
    ["an unknown organization", { grantedOrg: undefined }, {}, "ORGANIZATION_NOT_FOUND"],
    ["its own organization", {}, { grantedOrgId: organization }, "ORGANIZATION_NOT_FOUND"],
    ["a key that no role has", {}, { roleIds: ["a", undefined] }, "PROJECT_ROLE_NOT_FOUND"],
    ["a role elsewhere", { [roleName("a")]: role("a", "q") }, {}, "PROJECT_ROLE_NOT_FOUND"],
  ])("refuses %s", (_, more, asked, reason) => {
    const { events, rejection } = add(more, asked);
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });
});

describe("a change of a project grant", () => {
  const held = { project, projectGrant: state, ...roles };
  const decisions = {
    updateProjectGrant: (more: object = {}) => updateProjectGrant({ ...held, ...more }, given),
    switchProjectGrant: (more: object = {}) =>
      switchProjectGrant({ ...held, ...more }, { ...frame, isInactive: true }),
    removeProjectGrant: (more: object = {}) =>
      removeProjectGrant({ ...held, ...more }, [], { ...frame, grantId: "g" }),
  };

  test.each([
    ["updateProjectGrant", { type: "project.grant.changed", payload: { roleIds: ["a", "b"] } }],
    ["switchProjectGrant", { type: "project.grant.deactivated", payload: {} }],
    ["removeProjectGrant", { type: "project.grant.removed", payload: {} }],
  ] as const)("%s records it", (name, event) => {
    expect(decisions[name]()).toEqual({ events: { projectGrant: [event] } });
  });

  test.each(
    (["updateProjectGrant", "switchProjectGrant", "removeProjectGrant"] as const).flatMap((name) =>
      [
        ["no project", { project: undefined }, "PROJECT_NOT_FOUND"],
        ["another's", { project: { ...project, organization: "b" } }, "PROJECT_NOT_FOUND"],
        ["no grant", { projectGrant: undefined }, "PROJECT_GRANT_NOT_FOUND"],
        [
          "a grant of another project",
          { projectGrant: { ...state, projectId: "q" } },
          "PROJECT_GRANT_NOT_FOUND",
        ],
      ].map(([what, more, reason]) => [name, what, more, reason] as const),
    ),
  )("%s refuses %s", (name, _what, more, reason) => {
    const { events, rejection } = decisions[name](more as object);
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });

  test("refuses what is so already, and a role that is gone", () => {
    const reasonOf = ({ rejection }: ReturnType<typeof updateProjectGrant>) => rejection?.reason;
    const both = { ...held, projectGrant: { ...state, roleIds: ["b", "a"] } };
    expect(reasonOf(updateProjectGrant(both, given))).toBe("NOTHING_CHANGED");
    const active = { ...frame, isInactive: false };
    expect(reasonOf(switchProjectGrant(held, active))).toBe("NOTHING_CHANGED");
    const without = { ...held, [roleName("b")]: undefined };
    expect(reasonOf(updateProjectGrant(without, given))).toBe("PROJECT_ROLE_NOT_FOUND");
  });

  test("takes the grants of users along that rest on it", () => {
    const dependants = [{ stream: "grant-1", kind: "grant" }] as const;
    const states = { ...held, "grant-1": {} };
    expect(removeProjectGrant(states, dependants, { ...frame, grantId: "g" }).events).toEqual({
      projectGrant: [{ type: "project.grant.removed", payload: {} }],
      "grant-1": [{ type: "user.grant.removed", payload: {} }],
    });
  });
});

test("a removed role goes from it, and it stays without roles", () => {
  expect(withdrawRole(state, "a")).toEqual([
    { type: "project.grant.changed", payload: { roleIds: [] } },
  ]);
  expect(withdrawRole(state, "b")).toEqual([]);
});

test.each<[string, ProjectGrantState | undefined, boolean]>([
  ["by its own grant", state, true],
  ["without one", undefined, false],
  ["by an inactive one", { ...state, isInactive: true }, false],
  ["by one to another", { ...state, grantedOrgId: "org-c" }, false],
  ["by one of another project", { ...state, projectId: "q" }, false],
])("an organization has the project %s: %#", (_, given, expected) => {
  expect(isGranted(given, { projectId: "p", organization: "org-b" })).toBe(expected);
});

test("a project grant is found by its project, organization and roles, and is listed", () => {
  expect(projectGrant.claims(state)).toEqual([
    { kind: "projectGrant.project", scope: "p", value: "org-b" },
    { kind: "projectGrant.organization", scope: "org-b", value: "p" },
    { kind: "projectGrant.between", scope: `${organization} org-b`, value: "p" },
    { kind: "projectGrant.role", scope: "a", value: "org-b" },
  ]);
  const fields = { projectId: "p", organization };
  expect(projectGrant.row(state)).toEqual({ parent: "org-b", fields });
});

describe("laws", () => {
  const command = fc
    .record({ way: fc.nat(4), roleIds: fc.uniqueArray(fc.constantFrom("a", "b")) })
    .map<LifeCommand<ProjectGrantState, ProjectGrantEvent>>(({ way, roleIds }) => (known) => {
      const states = { project, grantedOrg, held: 0, between: 0, projectGrant: known, ...roles };
      const decide = () => {
        const named = { ...given, roleIds };
        if (known === undefined) return addProjectGrant(states, named);
        if (way === 0) return updateProjectGrant(states, named);
        if (way === 1) return removeProjectGrant(states, [], { ...frame, grantId: "g" });
        return switchProjectGrant(states, { ...frame, isInactive: way === 2 });
      };
      const { events, rejection } = decide();
      const its = (events.projectGrant ?? []) as readonly ProjectGrantEvent[];
      return { events: its, ...(rejection ? { rejection } : {}) };
    });

  holdLaws(projectGrant, command);
});
