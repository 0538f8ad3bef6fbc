import { describe, expect, test } from "@jest/globals";
import type { ProjectState } from "../../src/domain/project.ts";
import { removeRole } from "../../src/domain/removal.ts";
import {
  addRoles,
  type RoleEvent,
  type RoleState,
  repeatedKeys,
  role,
  roleLimits,
  updateRole,
} from "../../src/domain/role.ts";
import { fc } from "../harness/laws.ts";
import { holdLaws, type LifeCommand, text } from "./laws.ts";

const organization = "org-of-the-test";
const frame = { organization, projectId: "p" };
const project: ProjectState = {
  ...{ name: "P", organization, projectRoleAssertion: false, projectRoleCheck: false },
  ...{ hasProjectCheck: false, privateLabelingSetting: "UNSPECIFIED" },
};
const added = { key: "editor", displayName: "Editor", group: "staff" };
const state: RoleState = { ...added, projectId: "p", organization };
const { rolesOfProject: most } = roleLimits;
const two = [added, { ...added, key: "reader" }];

describe("addRoles", () => {
  test.each([
    ["into an empty project", 0],
    ["up to the last that there is room for", most - 2],
  ])("records each %s", (_, held) => {
    const events = two.map((one) => [
      { type: "project.role.added", payload: { projectId: "p", ...one } },
    ]);
    expect(addRoles({ project, held }, frame, two)).toEqual({ events: { roles: events } });
  });

  test.each([
    ["one more than there is room for", { held: most - 1 }, "LIMIT_REACHED"],
    ["a project that is gone", { project: undefined }, "PROJECT_NOT_FOUND"],
    ["another's project", { project: { ...project, organization: "b" } }, "PROJECT_NOT_FOUND"],
  ])("refuses %s", (_, given, reason) => {
    const { events, rejection } = addRoles({ project, held: 0, ...given }, frame, two);
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });
});

describe("updateRole", () => {
  const update = (given: object = {}, look = { displayName: "Author", group: "" }) =>
    updateRole({ project, role: state, ...given }, frame, look);

  test("records how it is shown, and leaves the key", () => {
    const event = { type: "project.role.changed", payload: { displayName: "Author", group: "" } };
    expect(update()).toEqual({ events: { role: [event] } });
  });

  test.each([
    ["what is so already", {}, added, "NOTHING_CHANGED"],
    ["no role", { role: undefined }, undefined, "PROJECT_ROLE_NOT_FOUND"],
    [
      "a role elsewhere",
      { role: { ...state, projectId: "q" } },
      undefined,
      "PROJECT_ROLE_NOT_FOUND",
    ],
    ["a project that is gone", { project: undefined }, undefined, "PROJECT_NOT_FOUND"],
  ])("refuses %s", (_, given, look, reason) => {
    const { events, rejection } = update(given, look);
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });

  test("takes another group alone", () => {
    expect(update({}, { ...added, group: "" }).rejection).toBeUndefined();
  });
});

describe("removeRole", () => {
  test("records that it goes, and from which grants", () => {
    const holders = [{ stream: "grant-1", kind: "holder" }] as const;
    const states = { project, role: state, "grant-1": { roleIds: ["r"] } };
    expect(removeRole(states, holders, { ...frame, roleId: "r" }).events).toEqual({
      role: [{ type: "project.role.removed", payload: {} }],
      "grant-1": [{ type: "user.grant.removed", payload: {} }],
    });
  });

  test.each([
    ["no role", { role: undefined }, "PROJECT_ROLE_NOT_FOUND"],
    ["a project that is gone", { project: undefined }, "PROJECT_NOT_FOUND"],
  ])("refuses %s", (_, given, reason) => {
    const states = { project, role: state, ...given };
    const { events, rejection } = removeRole(states, [], { ...frame, roleId: "r" });
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });
});

test("a role is listed under its project, and claims its key there as it is written", () => {
  const cased = { ...state, key: "Editor" };
  expect(role.claims(cased)).toEqual([{ kind: "role.key", scope: "p", value: "Editor" }]);
  const fields = { key: "Editor", displayName: "Editor", organization };
  expect(role.row(cased)).toEqual({ parent: "p", fields });
});

test("keys that are given twice are named", () => {
  const [one, other] = two as [typeof added, typeof added];
  expect(repeatedKeys(two)).toEqual([]);
  expect(repeatedKeys([one, other, one, one]).map(({ field }) => field)).toEqual([
    "roles[2].key",
    "roles[3].key",
  ]);
});

describe("laws", () => {
  const command = fc
    .record({ look: fc.record({ displayName: text(40), group: text(40) }), way: fc.nat(2) })
    .map<LifeCommand<RoleState, RoleEvent>>(({ look, way }) => (known) => {
      const states = { project, role: known };
      if (way === 0 && known === undefined) {
        const { events } = addRoles({ project, held: 0 }, frame, [{ key: "editor", ...look }]);
        return { events: events.roles?.[0] ?? [] };
      }
      const { events, rejection } =
        way === 1
          ? updateRole(states, frame, look)
          : removeRole(states, [], { ...frame, roleId: "r" });
      const its = (events.role ?? []) as readonly RoleEvent[];
      return { events: its, ...(rejection ? { rejection } : {}) };
    });

  holdLaws(role, command);
});
