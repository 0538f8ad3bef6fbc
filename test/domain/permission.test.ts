import { describe, expect, test } from "@jest/globals";
import {
  holds,
  holdsAll,
  holdsAnywhere,
  holdsRole,
  holdsSomewhere,
  isPermission,
  isRole,
  type Membership,
  type Permission,
  permissionsOf,
  type Role,
  roles,
  rolesOf,
  type Scope,
  sameScope,
} from "../../src/domain/permission.ts";
import { fc } from "../harness/laws.ts";

const instance: Scope = { level: "instance" };
const a: Scope = { level: "organization", organization: "a" };
const b: Scope = { level: "organization", organization: "b" };
const a1: Scope = { level: "project", organization: "a", project: "1" };
const a2: Scope = { level: "project", organization: "a", project: "2" };
const b1: Scope = { level: "project", organization: "b", project: "1" };

function member(scope: Scope, ...held: readonly Role[]): Membership {
  return { scope, roles: held };
}

describe("what each role may do", () => {
  // One column per role, in the order of `columns`; written out by hand.
  const columns: readonly Role[] = [
    "IAM_OWNER",
    "IAM_OWNER_VIEWER",
    "ORG_OWNER",
    "ORG_OWNER_VIEWER",
    "ORG_USER_MANAGER",
    "ORG_USER_PERMISSION_EDITOR",
    "ORG_SETTINGS_MANAGER",
    "PROJECT_OWNER",
  ];
  const table: { readonly [permission in Permission]: string } = {
    "iam.read": "x x - - - - - -",
    "iam.idp.read": "x x - - - - - -",
    "iam.idp.write": "x - - - - - - -",
    "iam.member.read": "x x - - - - - -",
    "iam.member.write": "x - - - - - - -",
    "iam.member.delete": "x - - - - - - -",
    "iam.policy.read": "x x - - - - - -",
    "iam.policy.write": "x - - - - - - -",
    "org.create": "x - - - - - - -",
    "events.read": "x x - - - - - -",
    "org.read": "x x x x - - - -",
    "org.write": "x - x - - - - -",
    "org.delete": "x - x - - - - -",
    "org.event.watch": "x - x - - - - -",
    "project.app.read": "x x x x - - - x",
    "project.app.write": "x - x - - - - x",
    "project.app.delete": "x - x - - - - x",
    "project.role.read": "x x x x - x - x",
    "project.role.write": "x - x - - - - x",
    "project.role.delete": "x - x - - - - x",
    "project.grant.read": "x x x x - - - x",
    "project.grant.write": "x - x - - - - x",
    "project.grant.delete": "x - x - - - - x",
    "project.create": "x - x - - - - -",
    "project.read": "x x x x - x - -",
    "project.write": "x - x - - - - -",
    "project.delete": "x - x - - - - -",
    "project.member.read": "x x x x - - - x",
    "project.member.write": "x - x - - - - -",
    "project.member.delete": "x - x - - - - -",
    "org.idp.read": "x x x x - - x -",
    "org.idp.write": "x - x - - - x -",
    "org.member.read": "x x x x - - - -",
    "org.member.write": "x - x - - - - -",
    "org.member.delete": "x - x - - - - -",
    "org.action.read": "x x x x - - - -",
    "org.action.write": "x - x - - - - -",
    "org.action.delete": "x - x - - - - -",
    "org.flow.read": "x x x x - - - -",
    "org.flow.write": "x - x - - - - -",
    "org.flow.delete": "x - x - - - - -",
    "policy.read": "x x x x - - - -",
    "policy.write": "x - x - - - - -",
    "policy.delete": "x - x - - - - -",
    "user.read": "x x x x x x - -",
    "user.write": "x - x - x - - -",
    "user.delete": "x - x - x - - -",
    "user.erase": "x - x - - - - -",
    "user.credential.write": "x - x - x - - -",
    "user.session.read": "x - x - x - - -",
    "user.session.write": "x - x - x - - -",
    "user.membership.read": "x x x x x - - -",
    "user.grant.read": "x x x x - x - -",
    "user.grant.write": "x - x - - x - -",
    "user.grant.delete": "x - x - - x - -",
    "group.read": "x x x x - - - -",
    "group.write": "x - x - - - - -",
    "group.delete": "x - x - - - - -",
  };

  test("covers every role and every permission", () => {
    expect([...columns].sort()).toEqual(Object.keys(roles).sort());
    expect(Object.keys(table).sort()).toEqual([...roles.IAM_OWNER.permissions].sort());
  });

  test.each(Object.entries(table))("%s", (permission, marks) => {
    const given = columns.map((role) =>
      (roles[role].permissions as readonly string[]).includes(permission) ? "x" : "-",
    );
    expect(given.join(" ")).toBe(marks);
  });

  test.each([
    ["instance", ["IAM_OWNER", "IAM_OWNER_VIEWER"]],
    [
      "organization",
      [
        ...(["ORG_OWNER", "ORG_OWNER_VIEWER", "ORG_USER_MANAGER"] as const),
        ...(["ORG_USER_PERMISSION_EDITOR", "ORG_SETTINGS_MANAGER"] as const),
      ],
    ],
    ["project", ["PROJECT_OWNER"]],
  ] as const)("on the level %s there are the roles %j", (level, expected) => {
    expect(rolesOf(level)).toEqual(expected);
  });
});

describe("names", () => {
  test.each(["constructor", "toString", "__proto__", "", "iam_owner", "IAM_OWNER "])(
    "%j is neither a role nor a permission",
    (name) => {
      expect([isRole(name), isPermission(name)]).toEqual([false, false]);
    },
  );

  test("are told apart", () => {
    expect([isRole("ORG_OWNER"), isPermission("user.read")]).toEqual([true, true]);
    expect([isRole("user.read"), isPermission("ORG_OWNER")]).toEqual([false, false]);
  });
});

describe("where a role counts", () => {
  // Whether a role in the first scope gives its permissions in instance, a, b, a1, a2 and b1.
  test.each([
    ["instance", instance, "IAM_OWNER", "x x x x x x"],
    ["organization a", a, "ORG_OWNER", "- x - x x -"],
    ["organization b", b, "ORG_OWNER", "- - x - - x"],
    ["project 1 of a", a1, "PROJECT_OWNER", "- - - x - -"],
    ["project 2 of a", a2, "PROJECT_OWNER", "- - - - x -"],
    ["project 1 of b", b1, "PROJECT_OWNER", "- - - - - x"],
  ] as const)("%s", (_, scope, role, expected) => {
    const scopes = [instance, a, b, a1, a2, b1];
    const held = scopes.map((to) => holds([member(scope, role)], "project.app.write", to));
    expect(held.map((one) => (one ? "x" : "-")).join(" ")).toBe(expected);
  });

  test.each([
    ["a role on the instance", [member(instance, "IAM_OWNER")], [true, true]],
    ["a role in a", [member(a, "ORG_OWNER")], [true, false]],
    ["a role on a project of a", [member(a1, "PROJECT_OWNER")], [true, false]],
    ["a role on a project of b", [member(b1, "PROJECT_OWNER")], [false, true]],
    ["roles in both", [member(b, "ORG_OWNER"), member(a2, "PROJECT_OWNER")], [true, true]],
    ["a role in a that lacks it", [member(a, "ORG_USER_MANAGER")], [false, false]],
    ["no membership", [], [false, false]],
    ["a membership without roles", [member(instance)], [false, false]],
  ] as const)("somewhere in a and in b: %s", (_, memberships, expected) => {
    const places = ["a", "b"].map((organization) =>
      holdsSomewhere(memberships, "project.app.write", organization),
    );
    expect(places).toEqual(expected);
    // Anywhere is in one of the two, where there are no others.
    expect(holdsAnywhere(memberships, "project.app.write")).toBe(expected[0] || expected[1]);
  });

  test("what is permitted is told by where it is held", () => {
    const told = (...memberships: readonly Membership[]) => permissionsOf(memberships, "a");
    const onProject = roles.PROJECT_OWNER.permissions;
    expect(told()).toEqual([]);
    expect(told(member(a, "ORG_SETTINGS_MANAGER"))).toEqual(["org.idp.read", "org.idp.write"]);
    expect(told(member(instance, "IAM_OWNER")).toSorted()).toEqual(
      [...roles.IAM_OWNER.permissions].toSorted(),
    );
    // Once: what is held in the organization is held on its projects.
    const owning = told(member(a, "ORG_OWNER"), member(a1, "PROJECT_OWNER"));
    expect(owning.toSorted()).toEqual([...roles.ORG_OWNER.permissions].toSorted());
    const elsewhere = told(member(b, "ORG_SETTINGS_MANAGER"), member(a1, "PROJECT_OWNER"));
    expect(elsewhere.toSorted()).toEqual(
      ["org.idp.read:b", "org.idp.write:b", ...onProject.map((one) => `${one}:1`)].toSorted(),
    );
  });

  test("the same scope is the same all through", () => {
    const scopes = [instance, a, b, a1, a2, b1];
    for (const [row, one] of scopes.entries()) {
      const same = scopes.map((other) => sameScope(one, structuredClone(other)));
      expect(same).toEqual(scopes.map((_, column) => row === column));
    }
  });
});

describe("who holds all that a role gives", () => {
  // Rows are who asks, columns the roles at their own level within organization a.
  test.each([
    ["IAM_OWNER", instance, "x x x x x x x"],
    ["IAM_OWNER_VIEWER", instance, "- x - x - - -"],
    ["ORG_OWNER", a, "- - x x x x x"],
    ["ORG_OWNER", b, "- - - - - - -"],
    ["ORG_OWNER_VIEWER", a, "- - - x - - -"],
    ["ORG_USER_MANAGER", a, "- - - - x - -"],
    ["ORG_SETTINGS_MANAGER", a, "- - - - - x -"],
    ["PROJECT_OWNER", a1, "- - - - - - x"],
    ["PROJECT_OWNER", a2, "- - - - - - -"],
    ["PROJECT_OWNER", b1, "- - - - - - -"],
  ] as const)("%s in %j", (role, scope, expected) => {
    const granted: readonly (readonly [Role, Scope])[] = [
      ["IAM_OWNER", instance],
      ["IAM_OWNER_VIEWER", instance],
      ["ORG_OWNER", a],
      ["ORG_OWNER_VIEWER", a],
      ["ORG_USER_MANAGER", a],
      ["ORG_SETTINGS_MANAGER", a],
      ["PROJECT_OWNER", a1],
    ];
    const held = granted.map(([one, place]) => holdsRole([member(scope, role)], one, place));
    expect(held.map((one) => (one ? "x" : "-")).join(" ")).toBe(expected);
    const alike = granted.map(([one, place]) =>
      holdsAll([member(scope, role)], [member(place, one)]),
    );
    expect(alike).toEqual(held);
  });

  test("several roles count together", () => {
    const parts = [member(instance, "IAM_OWNER_VIEWER"), member(a, "ORG_USER_MANAGER")];
    expect(holdsRole(parts, "ORG_OWNER_VIEWER", a)).toBe(true);
    expect(holdsRole(parts, "ORG_USER_MANAGER", a)).toBe(true);
    expect(holdsRole(parts, "ORG_OWNER", a)).toBe(false);
    expect(holdsAll(parts, [member(a, "ORG_USER_MANAGER", "ORG_OWNER_VIEWER")])).toBe(true);
    expect(holdsAll(parts, [member(a, "ORG_USER_MANAGER"), member(b, "ORG_USER_MANAGER")])).toBe(
      false,
    );
  });

  test("nobody has to hold anything to act on who holds nothing", () => {
    expect(holdsAll([], [])).toBe(true);
    expect(holdsAll([], [member(instance)])).toBe(true);
  });
});

describe("laws", () => {
  const scopes = fc.constantFrom(instance, a, b, a1, a2, b1);
  const membership = scopes.chain((scope) =>
    fc.subarray([...rolesOf(scope.level)]).map((held): Membership => ({ scope, roles: held })),
  );
  const memberships = fc.array(membership, { maxLength: 5 });
  const permission = fc.constantFrom(...roles.IAM_OWNER.permissions);

  test("everybody holds all of their own, and still does with more", () => {
    fc.assert(
      fc.property(memberships, memberships, (own, more) => {
        expect(holdsAll(own, own)).toBe(true);
        expect(holdsAll([...more, ...own], own)).toBe(true);
      }),
    );
  });

  test("who holds all that another holds may do whatever the other may", () => {
    fc.assert(
      fc.property(memberships, memberships, permission, scopes, (one, other, wanted, scope) => {
        const more = holdsAll(one, other);
        const may = [holds(one, wanted, scope), holds(other, wanted, scope)];
        expect(more && may[1] && !may[0]).toBe(false);
      }),
    );
  });

  test("what is held in a place is held somewhere in its organization", () => {
    const places = fc.constantFrom(a, a1, a2);
    fc.assert(
      fc.property(memberships, permission, places, (held, wanted, place) => {
        const there = holds(held, wanted, place);
        expect(there && !holdsSomewhere(held, wanted, "a")).toBe(false);
      }),
    );
  });
});
