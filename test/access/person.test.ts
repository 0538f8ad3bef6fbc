import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";
import type { Membership, Role } from "../../src/domain/permission.ts";
import { few } from "../harness/in-full.ts";
import { bearer } from "./http.ts";
import { operations } from "./operations.ts";
import type { Place } from "./place.ts";
import { type AccessWorld, type GivenUser, startWorld } from "./world.ts";

// What people may do for themselves, and who may do it for them. The user
// themself passes; others need user.write where the user is, and all that the user holds.

const denied = "7 PERMISSION_DENIED";
const escalation = "7 ESCALATION_DENIED";
const methods = ["SetPhone", "ResendPhoneCode", "VerifyPhone", "RemovePhone"] as const;

type Method = (typeof methods)[number];
type Holding = readonly [role: Role, place: Exclude<Place, "nowhere">];

let world: AccessWorld;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(() => world.close());

function membershipsOf(holdings: readonly Holding[]): readonly Membership[] {
  return holdings.map(([role, place]) => ({ scope: world.scopeOf(place), roles: [role] }));
}

function givenPerson(holdings: readonly Holding[] = []): Promise<GivenUser> {
  return world.givenPerson(world.organizations.own, membershipsOf(holdings));
}

/** The outcome of a call, and the types of the events that it left. */
async function call(method: Method, caller: GivenUser, userId: string, more: object = {}) {
  const head = await world.server.head();
  const { outcome } = await world.http.send({
    path: `/${UserService.typeName}/${method}`,
    // The user says which organization it is about, so the header means nothing.
    headers: { ...bearer(caller.token), "x-service-orgid": world.organizations.foreign },
    body: JSON.stringify({ ...operations[method]!.request({ user: userId }), ...more }),
  });
  const events = await world.server.events(head);
  return [outcome, ...events.map(({ type }) => type.replace("user.human.phone.", ""))];
}

const accepted = {
  SetPhone: ["OK", "changed", "code.added"],
  ResendPhoneCode: ["OK", "code.added"],
  VerifyPhone: ["OK", "verified"],
  RemovePhone: ["OK", "removed"],
} as const;

test("the methods here are those of the contract", () => {
  expect(UserService.methods.map(({ name }) => name)).toEqual([...methods]);
});

describe("oneself", () => {
  few(3).each(methods)("may call %s without a role", async (method) => {
    const self = await givenPerson();
    expect(await call(method, self, self.userId)).toEqual(accepted[method]);
  });

  few(3).each(methods)("may call %s whatever roles there are", async (method) => {
    const roles: readonly Holding[] = [
      ["IAM_OWNER_VIEWER", "instance"],
      ["ORG_OWNER", "foreign"],
      ["PROJECT_OWNER", "own-1"],
    ];
    const self = await givenPerson(roles);
    expect(await call(method, self, self.userId)).toEqual(accepted[method]);
  });

  // CVE-2026-27946: to see one's own code, or to skip it, is to verify any number as one's own.
  const privileges = [
    ["SetPhone", { returnCode: {} }, ["OK", "changed", "code.added"]],
    ["SetPhone", { isVerified: true }, ["OK", "changed", "verified"]],
    ["ResendPhoneCode", { returnCode: {} }, ["OK", "code.added"]],
  ] as const;

  few(2).each(privileges)("may not call %s with %j without user.write", async (...row) => {
    const [method, more] = row;
    const holders: readonly (readonly Holding[])[] = [
      [],
      [["IAM_OWNER_VIEWER", "instance"]],
      [["ORG_OWNER", "foreign"]],
      [["ORG_USER_MANAGER", "foreign"]],
      [["ORG_SETTINGS_MANAGER", "own"]],
      [["PROJECT_OWNER", "own-1"]],
    ];
    for (const holdings of holders) {
      const self = await givenPerson(holdings);
      expect([holdings, ...(await call(method, self, self.userId, more))]).toEqual([
        holdings,
        denied,
      ]);
    }
  });

  few(2).each(privileges)("may call %s with %j where it has user.write", async (...row) => {
    const [method, more, outcome] = row;
    const holders = [["IAM_OWNER", "instance"] as const, ["ORG_USER_MANAGER", "own"] as const];
    for (const holding of holders) {
      const self = await givenPerson([holding]);
      expect(await call(method, self, self.userId, more)).toEqual(outcome);
    }
  });

  test("is not who it says in another way to write the id", async () => {
    const self = await givenPerson();
    for (const userId of [self.userId.toUpperCase(), `user-${self.userId}`, `${self.userId} `]) {
      expect(await call("RemovePhone", self, userId)).toEqual([denied]);
    }
  });
});

describe("who may not write users anywhere", () => {
  const callers: readonly (readonly [string, readonly Holding[]])[] = [
    ["nobody special", []],
    ["IAM_OWNER_VIEWER", [["IAM_OWNER_VIEWER", "instance"]]],
    ["ORG_OWNER_VIEWER", [["ORG_OWNER_VIEWER", "own"]]],
    ["ORG_SETTINGS_MANAGER", [["ORG_SETTINGS_MANAGER", "own"]]],
    ["PROJECT_OWNER", [["PROJECT_OWNER", "own-1"]]],
  ];

  few(2).each(callers)("%s learns nothing about others", async (_name, holdings) => {
    const caller = await givenPerson(holdings);
    const users = [await givenPerson(), await world.givenPerson(world.organizations.foreign)];
    const ids = [...users.map(({ userId }) => userId), v7(), "x", "__proto__"];
    for (const method of methods) {
      const outcomes = await Promise.all(ids.map((id) => call(method, caller, id)));
      expect([method, outcomes]).toEqual([method, ids.map(() => [denied])]);
    }
  });
});

describe("who acts on a user must hold all that the user holds", () => {
  const all = "OK";
  const no = escalation;
  const callers: readonly (readonly Holding[])[] = [
    [["IAM_OWNER", "instance"]],
    [["ORG_OWNER", "own"]],
    [["ORG_USER_MANAGER", "own"]],
    [
      ["ORG_USER_MANAGER", "own"],
      ["PROJECT_OWNER", "own-1"],
    ],
  ];
  // Per user, what comes of it for these callers, in their order.
  const rows: readonly (readonly [string, readonly Holding[], readonly string[]])[] = [
    ["nobody special", [], [all, all, all, all]],
    ["IAM_OWNER", [["IAM_OWNER", "instance"]], [all, no, no, no]],
    ["IAM_OWNER_VIEWER", [["IAM_OWNER_VIEWER", "instance"]], [all, no, no, no]],
    ["ORG_OWNER", [["ORG_OWNER", "own"]], [all, all, no, no]],
    ["ORG_OWNER elsewhere", [["ORG_OWNER", "foreign"]], [all, no, no, no]],
    ["ORG_OWNER_VIEWER", [["ORG_OWNER_VIEWER", "own"]], [all, all, no, no]],
    ["ORG_USER_MANAGER", [["ORG_USER_MANAGER", "own"]], [all, all, all, all]],
    ["ORG_USER_MANAGER elsewhere", [["ORG_USER_MANAGER", "foreign"]], [all, no, no, no]],
    ["ORG_SETTINGS_MANAGER", [["ORG_SETTINGS_MANAGER", "own"]], [all, all, no, no]],
    ["PROJECT_OWNER", [["PROJECT_OWNER", "own-1"]], [all, all, no, all]],
    ["PROJECT_OWNER elsewhere", [["PROJECT_OWNER", "foreign-1"]], [all, no, no, no]],
  ];

  few(3).each(rows)("%s", async (_name, holdings, outcomes) => {
    for (const [index, outcome] of outcomes.entries()) {
      const caller = await givenPerson(callers[index]);
      for (const method of methods) {
        const { userId } = await givenPerson(holdings);
        const expected = outcome === all ? accepted[method] : [outcome];
        expect([method, index, ...(await call(method, caller, userId))]).toEqual([
          method,
          index,
          ...expected,
        ]);
      }
    }
  });

  test("and is not told whether the code would have been right", async () => {
    const manager = await givenPerson([["ORG_USER_MANAGER", "own"]]);
    const { userId } = await givenPerson([["ORG_OWNER", "own"]]);
    const wrong = { verificationCode: "WRONG2" };
    expect(await call("VerifyPhone", manager, userId, wrong)).toEqual([escalation]);
    expect(await call("VerifyPhone", manager, userId)).toEqual([escalation]);
  });

  test.each([
    [{ returnCode: {} }, ["OK", "changed", "code.added"]],
    [{ isVerified: true }, ["OK", "changed", "verified"]],
  ])("may set a phone with %j", async (more, outcome) => {
    const manager = await givenPerson([["ORG_USER_MANAGER", "own"]]);
    const { userId } = await givenPerson();
    expect(await call("SetPhone", manager, userId, more)).toEqual(outcome);
  });
});

test("a call whose caller loses against a promotion is refused", async () => {
  const manager = await givenPerson([["ORG_USER_MANAGER", "own"]]);
  const { userId } = await givenPerson();
  const held = await world.http.hold({
    path: `/${UserService.typeName}/RemovePhone`,
    headers: bearer(manager.token),
    body: JSON.stringify({ userId }),
  });
  const admin = await givenPerson([["IAM_OWNER", "instance"]]);
  const promoted = await world.http.send({
    path: "/iam.admin.v1.AdminService/AddIAMMember",
    headers: bearer(admin.token),
    body: JSON.stringify(operations.AddIAMMember!.request({ user: userId })),
  });
  expect(promoted.outcome).toBe("OK");
  expect((await held.finish()).outcome).toBe(escalation);
});
