import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { type Role, roles } from "../../src/domain/permission.ts";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { few } from "../harness/in-full.ts";
import { givenUser } from "../harness/server.ts";
import { grantable, grantors, type Holding } from "./grants.ts";
import { bearer } from "./http.ts";
import { type AccessWorld, type GivenUser, startWorld } from "./world.ts";

const management = `/${ManagementService.typeName}`;
const escalation = "7 ESCALATION_DENIED";

let world: AccessWorld;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(() => world.close());

/** A user of `own` that holds all of these. */
function givenHolder(holdings: readonly Holding[]): Promise<GivenUser> {
  return givenUser(
    world.server,
    world.organizations.own,
    holdings.map(([role, place]) => ({ scope: world.scopeOf(place), roles: [role] })),
  );
}

async function call(
  caller: GivenUser,
  path: string,
  body: object,
  organization = world.organizations.own,
): Promise<string> {
  const headers = { ...bearer(caller.token), "x-service-orgid": organization };
  return (await world.http.send({ path, headers, body: JSON.stringify(body) })).outcome;
}

/** Grants the role at its own level: on the instance, in `own`, or on its first project. */
function grant(caller: GivenUser, granted: readonly string[], userId: string): Promise<string> {
  const level = roles[granted[0] as Role].level;
  if (level === "instance") {
    return call(caller, `/${AdminService.typeName}/AddIAMMember`, { userId, roles: granted });
  }
  if (level === "organization") {
    return call(caller, `${management}/AddOrgMember`, { userId, roles: granted });
  }
  const projectId = world.projects["own-1"];
  return call(caller, `${management}/AddProjectMember`, { projectId, userId, roles: granted });
}

describe("who may grant what", () => {
  test("covers every role on both sides", () => {
    expect([...grantable].sort()).toEqual(Object.keys(roles).sort());
    expect([...new Set(grantors.map(([role]) => role))].sort()).toEqual(Object.keys(roles).sort());
  });

  test.each(grantors)("%s of %s", async (role, place, outcomes) => {
    const caller = await world.givenCaller(role, place);
    for (const [index, granted] of grantable.entries()) {
      const { userId } = await world.givenCaller("no role", "nowhere");
      const head = await world.server.head();
      expect([granted, await grant(caller, [granted], userId)]).toEqual([granted, outcomes[index]]);
      const written = outcomes[index] === "OK" ? ["user.membership.granted"] : [];
      expect((await world.server.events(head)).map(({ type }) => type)).toEqual(written);
    }
  });

  test.each(grantors)("%s of %s, to oneself", async (role, place, outcomes) => {
    const self = await Promise.all(
      grantable.map(async (granted) => {
        const caller = await world.givenCaller(role, place);
        // Where one is a member already, the roles stay as they are.
        const there = roles[role].level === roles[granted].level && place !== "foreign";
        const outcome = await grant(caller, [granted], caller.userId);
        return { outcome, there };
      }),
    );
    expect(self.map(({ outcome }) => outcome)).toEqual(
      self.map(({ there }, index) =>
        there && outcomes[index] === "OK" ? "6 MEMBER_EXISTS" : outcomes[index],
      ),
    );
  });
});

describe("a role that does not exist there", () => {
  test.each([
    ["on the instance", "IAM_OWNER", "ORG_OWNER"],
    ["in an organization", "ORG_OWNER_VIEWER", "IAM_OWNER"],
    ["on a project", "PROJECT_OWNER", "ORG_OWNER"],
    ["at all", "ORG_OWNER_VIEWER", "org_owner"],
    ["as a property of every object", "ORG_OWNER_VIEWER", "constructor"],
  ])("%s is refused, also next to one that does", async (_, valid, invalid) => {
    const admin = await world.givenCaller("IAM_OWNER", "instance");
    const { userId } = await world.givenCaller("no role", "nowhere");
    const head = await world.server.head();
    expect(await grant(admin, [valid, invalid], userId)).toBe("3 INVALID_FIELDS");
    expect(await world.server.events(head)).toEqual([]);
    expect(await grant(admin, [valid], userId)).toBe("OK");
  });
});

describe("members of another organization", () => {
  test("are added by who owns the instance, and unknown to who owns the organization", async () => {
    const { own, foreign } = world.organizations;
    const stranger = await givenUser(world.server, foreign);
    const owner = await world.givenCaller("ORG_OWNER", "own");
    const admin = await world.givenCaller("IAM_OWNER", "instance");
    const body = { userId: stranger.userId, roles: ["ORG_OWNER_VIEWER"] };
    const path = `${management}/AddOrgMember`;

    expect(await call(owner, path, body, own)).toBe("5 USER_NOT_FOUND");
    expect(await call(owner, path, { ...body, userId: v7() }, own)).toBe("5 USER_NOT_FOUND");
    expect(await call(admin, path, body, own)).toBe("OK");
    // Being a member there does not make the user known to its owner.
    expect(await call(owner, path, body, own)).toBe("5 USER_NOT_FOUND");
    expect(await call(admin, path, body, own)).toBe("6 MEMBER_EXISTS");
  });

  test("are added by who owns both organizations", async () => {
    const { own, foreign } = world.organizations;
    const stranger = await givenUser(world.server, foreign);
    const both = await givenHolder([
      ["ORG_OWNER", "own"],
      ["ORG_OWNER", "foreign"],
    ]);
    const body = { userId: stranger.userId, roles: ["ORG_OWNER"] };
    expect(await call(both, `${management}/AddOrgMember`, body, own)).toBe("OK");
  });
});

describe("who may act on a user", () => {
  const holders: { readonly [name: string]: readonly Holding[] } = {
    "nobody special": [],
    IAM_OWNER: [["IAM_OWNER", "instance"]],
    IAM_OWNER_VIEWER: [["IAM_OWNER_VIEWER", "instance"]],
    ORG_OWNER: [["ORG_OWNER", "own"]],
    "ORG_OWNER elsewhere": [["ORG_OWNER", "foreign"]],
    ORG_OWNER_VIEWER: [["ORG_OWNER_VIEWER", "own"]],
    ORG_USER_MANAGER: [["ORG_USER_MANAGER", "own"]],
    "ORG_USER_MANAGER elsewhere": [["ORG_USER_MANAGER", "foreign"]],
    ORG_USER_PERMISSION_EDITOR: [["ORG_USER_PERMISSION_EDITOR", "own"]],
    ORG_SETTINGS_MANAGER: [["ORG_SETTINGS_MANAGER", "own"]],
    PROJECT_OWNER: [["PROJECT_OWNER", "own-1"]],
    "PROJECT_OWNER elsewhere": [["PROJECT_OWNER", "foreign-1"]],
    "manager who owns a project": [
      ["ORG_USER_MANAGER", "own"],
      ["PROJECT_OWNER", "own-1"],
    ],
  };

  const all = "OK";
  const no = escalation;
  // Per user, what comes of it for IAM_OWNER, ORG_OWNER, ORG_USER_MANAGER and the manager who owns
  // a project.
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["nobody special", [all, all, all, all]],
    ["IAM_OWNER", [all, no, no, no]],
    ["IAM_OWNER_VIEWER", [all, no, no, no]],
    ["ORG_OWNER", [all, all, no, no]],
    ["ORG_OWNER elsewhere", [all, no, no, no]],
    ["ORG_OWNER_VIEWER", [all, all, no, no]],
    ["ORG_USER_MANAGER", [all, all, all, all]],
    ["ORG_USER_MANAGER elsewhere", [all, no, no, no]],
    ["ORG_USER_PERMISSION_EDITOR", [all, all, no, no]],
    ["ORG_SETTINGS_MANAGER", [all, all, no, no]],
    ["PROJECT_OWNER", [all, all, no, all]],
    ["PROJECT_OWNER elsewhere", [all, no, no, no]],
    ["manager who owns a project", [all, all, no, all]],
  ];
  const callers = ["IAM_OWNER", "ORG_OWNER", "ORG_USER_MANAGER", "manager who owns a project"];
  const acted = [
    "user.token.added",
    "user.token.removed",
    "user.machine.secret.set",
    "user.machine.secret.removed",
    "user.machine.key.added",
    "user.deactivated",
    "user.reactivated",
    "user.removed",
  ];

  few(6).each(rows)("%s", async (name, outcomes) => {
    for (const [index, callerName] of callers.entries()) {
      const user = await givenHolder(holders[name]!);
      const caller = await givenHolder(holders[callerName]!);
      const { userId, tokenId } = user;
      const expected = outcomes[index]!;
      // Who may not act on the user is not told which tokens it has.
      const absent = expected === "OK" ? "5 TOKEN_NOT_FOUND" : expected;

      const head = await world.server.head();
      const remove = (id: string) =>
        call(caller, `${management}/RemovePersonalAccessToken`, { userId, tokenId: id });
      const added = await call(caller, `${management}/AddPersonalAccessToken`, { userId });
      const answers = [added, await remove(v7()), await remove(tokenId)];
      expect([callerName, ...answers]).toEqual([callerName, expected, absent, expected]);
      for (const method of ["GenerateMachineSecret", "RemoveMachineSecret", "AddMachineKey"]) {
        const answer = await call(caller, `${management}/${method}`, { userId });
        expect([callerName, method, answer]).toEqual([callerName, method, expected]);
      }
      const noKey = expected === "OK" ? "5 KEY_NOT_FOUND" : expected;
      const removed = await call(caller, `${management}/RemoveMachineKey`, { userId, keyId: v7() });
      expect([callerName, removed]).toEqual([callerName, noKey]);
      for (const method of ["DeactivateUser", "ReactivateUser", "RemoveUser"]) {
        const answer = await call(caller, `${management}/${method}`, { id: userId });
        expect([callerName, method, answer]).toEqual([callerName, method, expected]);
      }
      const written = expected === "OK" ? acted : [];
      expect((await world.server.events(head)).map(({ type }) => type)).toEqual(written);
    }
  });

  test("a user manager touches its own", async () => {
    const manager = await world.givenCaller("ORG_USER_MANAGER", "own");
    const body = { userId: manager.userId, tokenId: manager.tokenId };
    expect(await call(manager, `${management}/AddPersonalAccessToken`, body)).toBe(
      "3 MALFORMED_REQUEST",
    );
    expect(
      await call(manager, `${management}/AddPersonalAccessToken`, { userId: manager.userId }),
    ).toBe("OK");
    expect(await call(manager, `${management}/RemovePersonalAccessToken`, body)).toBe("OK");
    expect(await call(manager, `${management}/RemovePersonalAccessToken`, body)).toBe(
      "16 UNAUTHENTICATED",
    );
  });
});

describe("what is true at the decision counts", () => {
  test("a user who is promoted while calls race is out of reach from then on", async () => {
    const manager = await world.givenCaller("ORG_USER_MANAGER", "own");
    const admin = await world.givenCaller("IAM_OWNER", "instance");
    const { userId } = await world.givenCaller("no role", "nowhere");
    const addToken = () => call(manager, `${management}/AddPersonalAccessToken`, { userId });

    const early = Array.from({ length: 8 }, addToken);
    const promotion = grant(admin, ["IAM_OWNER_VIEWER"], userId);
    const late = Array.from({ length: 8 }, addToken);
    expect(await promotion).toBe("OK");
    const answers = await Promise.all([...early, ...late]);

    const types = (await world.server.store.readStream(`user-${userId}`, 2, 100)).map(
      ({ type }) => type as UserEvent["type"],
    );
    const accepted = answers.filter((outcome) => outcome === "OK").length;
    // What was accepted before does not rise with its holder.
    const voided = accepted === 0 ? [] : ["user.credentials.voided"];
    expect(types).toEqual([
      ...Array(accepted).fill("user.token.added"),
      ...voided,
      "user.membership.granted",
    ]);
    expect(answers.filter((outcome) => outcome === escalation)).toHaveLength(16 - accepted);
  });

  test("a call that arrived before the promotion but ends after it is refused", async () => {
    const manager = await world.givenCaller("ORG_USER_MANAGER", "own");
    const admin = await world.givenCaller("IAM_OWNER", "instance");
    const { userId } = await world.givenCaller("no role", "nowhere");
    const held = await world.http.hold({
      path: `${management}/AddPersonalAccessToken`,
      headers: bearer(manager.token),
      body: JSON.stringify({ userId }),
    });
    expect(await grant(admin, ["ORG_OWNER"], userId)).toBe("OK");
    expect((await held.finish()).outcome).toBe(escalation);
  });

  test("of two grants of a membership one is written", async () => {
    const admin = await world.givenCaller("IAM_OWNER", "instance");
    const { userId } = await world.givenCaller("no role", "nowhere");
    const head = await world.server.head();
    const answers = await Promise.all(
      grantable.slice(2, 6).map((role) => grant(admin, [role], userId)),
    );
    expect(answers.sort()).toEqual(["6 MEMBER_EXISTS", "6 MEMBER_EXISTS", "6 MEMBER_EXISTS", "OK"]);
    expect(await world.server.events(head)).toHaveLength(1);
  });
});
