import { describe, expect, test } from "@jest/globals";
import { type Dependant, endDependants } from "../../src/domain/dependants.ts";

const organization = "org-1";
const removed = { kind: "org", id: organization } as const;
const there = {};
const ofProject: Dependant = {
  ...{ stream: "project-1", kind: "project" },
  parts: [
    { group: "apps", streams: ["app-1", "app-2"] },
    { group: "roles", streams: ["role-1"] },
  ],
};
const apps: readonly Dependant[] = [
  { stream: "app-1", kind: "app" },
  { stream: "app-2", kind: "app" },
];

describe("endDependants", () => {
  const parts = (apps: number) => ({ apps, roles: 0 });
  const ended = (states: object) =>
    Object.keys(endDependants({ ...states }, [...apps, ofProject], removed));

  test("ends a project with all of its applications", () => {
    const states = { "app-1": there, "app-2": there, "project-1": there, apps: 2, roles: 0 };
    expect(ended(states)).toEqual(["app-1", "app-2", "project-1"]);
  });

  test("leaves out what is gone", () => {
    expect(ended({ "app-1": there, "project-1": there, ...parts(1) })).toEqual([
      "app-1",
      "project-1",
    ]);
    expect(ended(parts(0))).toEqual([]);
  });

  test("leaves a project to which an application came", () => {
    const states = { "app-1": there, "app-2": there, "project-1": there, ...parts(3) };
    expect(ended(states)).toEqual(["app-1", "app-2"]);
    // One went, and another came.
    expect(ended({ "app-1": there, "project-1": there, ...parts(2) })).toEqual(["app-1"]);
  });

  test("leaves a project to which a role came", () => {
    expect(ended({ "project-1": there, apps: 0, roles: 1 })).toEqual([]);
  });

  test("takes a removed role from a grant, and the grant with its last role", () => {
    const end = (roleIds: readonly string[]) => {
      const holder = [{ stream: "grant-1", kind: "holder" }] as const;
      return endDependants({ "grant-1": { roleIds } }, holder, { kind: "role", id: "b" })[
        "grant-1"
      ];
    };
    expect(end(["a", "b", "c"])).toEqual([
      { type: "user.grant.changed", payload: { roleIds: ["a", "c"] } },
    ]);
    expect(end(["b"])).toEqual([{ type: "user.grant.removed", payload: {} }]);
    expect(end(["a"])).toEqual([]);
  });

  test("ends the membership in a group, unless it is gone", () => {
    const grouped: Dependant = { stream: "user-1", kind: "grouped" };
    const end = (groups: readonly string[]) =>
      endDependants({ "user-1": { groups } }, [grouped], { kind: "group", id: "g" })["user-1"];
    expect(end(["f", "g"])).toEqual([{ type: "user.group.left", payload: { groupId: "g" } }]);
    expect(end(["f"])).toEqual([]);
  });

  test("ends the grant of a group by an event of groups", () => {
    const dependants: readonly Dependant[] = [{ stream: "grant-1", kind: "grant" }];
    const end = (state: object) => endDependants({ "grant-1": state }, dependants, removed);
    const ended = (type: string) => ({ "grant-1": [{ type, payload: {} }] });
    expect(end({ groupId: "g" })).toEqual(ended("group.grant.removed"));
    expect(end({ userId: "u" })).toEqual(ended("user.grant.removed"));
  });

  test("takes a removed role from a project grant, which stays", () => {
    const holder = [{ stream: "projectGrant-1", kind: "projectHolder" }] as const;
    const states = { "projectGrant-1": { roleIds: ["b"] } };
    expect(endDependants(states, holder, { kind: "role", id: "b" })).toEqual({
      "projectGrant-1": [{ type: "project.grant.changed", payload: { roleIds: [] } }],
    });
  });

  test("ends the roles of a member, unless they are gone", () => {
    const member: Dependant = { stream: "user-1", kind: "member" };
    const scope = { level: "organization", organization } as const;
    const end = (memberships: readonly object[]) =>
      endDependants({ "user-1": { memberships } }, [member], removed)["user-1"];
    expect(end([{ scope, roles: ["ORG_OWNER"] }])).toEqual([
      { type: "user.memberships.removed", payload: { organization } },
    ]);
    expect(end([{ scope: { level: "instance" }, roles: ["IAM_OWNER"] }])).toEqual([]);
  });

  test("ends the roles of a member of a project, unless they are gone", () => {
    const member: Dependant = { stream: "user-1", kind: "projectMember" };
    const on = (project: string) => ({ level: "project", organization, project });
    const end = (...scopes: readonly object[]) => {
      const memberships = scopes.map((scope) => ({ scope, roles: [] }));
      const states = { "user-1": { memberships } };
      return endDependants(states, [member], { kind: "project", id: "p" })["user-1"];
    };
    const inIt = { level: "organization", organization };
    expect(end(inIt, on("p"), on("q"))).toEqual([
      { type: "user.membership.removed", payload: { scope: on("p") } },
    ]);
    expect(end({ level: "instance" }, inIt, on("q"))).toEqual([]);
  });
});
