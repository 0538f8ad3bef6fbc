import { describe, expect, test } from "@jest/globals";
import type { Scope } from "../../../src/domain/permission.ts";
import type { ProjectState } from "../../../src/domain/project.ts";
import { addToken, removeToken } from "../../../src/domain/user/credential/token.ts";
import { addMachineUser } from "../../../src/domain/user/machine.ts";
import {
  grantMembership,
  removeMembership,
  updateMembership,
} from "../../../src/domain/user/membership.ts";
import { makerName } from "../../../src/domain/user/raise.ts";
import type { UserEvent } from "../../../src/domain/user/state/event.ts";
import { instanceFields } from "../../../src/domain/user/state/held-roles.ts";
import { type UserState, user, userLimits } from "../../../src/domain/user/state/user.ts";
import { deactivateUser, reactivateUser, removeUser } from "../../../src/domain/user/status.ts";
import { fc } from "../../harness/laws.ts";
import { holdLaws, type LifeCommand, text } from "../laws.ts";
import {
  home,
  inHome,
  instance,
  maker,
  manager,
  memberships,
  now,
  onProject,
  orgOwner,
  owner,
  userWith,
} from "./users.ts";

/** Who is raised, and what that may need. */
const raised = { userId: "u", initializationCode: "fresh" } as const;

describe("grantMembership", () => {
  const grant = {
    scope: inHome,
    roles: ["ORG_OWNER_VIEWER"],
    permission: "org.member.write",
    ...raised,
  } as const;
  const granted = (scope: Scope, roles: readonly string[]) => ({
    events: { user: [{ type: "user.membership.granted", payload: { scope, roles } }] },
  });

  test.each([
    ["a role", ["ORG_OWNER"], ["ORG_OWNER"]],
    ["several", ["ORG_OWNER", "ORG_USER_MANAGER"], ["ORG_OWNER", "ORG_USER_MANAGER"]],
    ["one role given twice", ["ORG_OWNER", "ORG_OWNER"], ["ORG_OWNER"]],
  ])("records %s", (_, given, recorded) => {
    const states = { user: userWith(), caller: orgOwner };
    const decision = grantMembership(states, { ...grant, roles: given }, now);
    expect(decision).toEqual(granted(inHome, recorded));
  });

  test("takes the last one that fits", () => {
    const full = userWith({ memberships: memberships(userLimits.memberships - 1) });
    expect(grantMembership({ user: full, caller: orgOwner }, grant, now)).toEqual(
      granted(inHome, grant.roles),
    );
  });

  test("names every role that is not one of the scope", () => {
    const roles = ["ORG_OWNER", "IAM_OWNER", "constructor", "PROJECT_OWNER"];
    const states = { user: undefined, caller: owner };
    const { rejection } = grantMembership(states, { ...grant, roles }, now);
    expect(rejection?.violations?.map(({ field }) => field)).toEqual([
      "roles[1]",
      "roles[2]",
      "roles[3]",
    ]);
  });

  test.each([
    ["an unknown user", undefined, orgOwner, "USER_NOT_FOUND"],
    [
      "a user of another organization",
      userWith({ organization: "org-b" }),
      orgOwner,
      "USER_NOT_FOUND",
    ],
    ["a caller who lost the role meanwhile", userWith(), userWith(), "USER_NOT_FOUND"],
    ["a caller who is gone", userWith(), undefined, "USER_NOT_FOUND"],
    ["a member", orgOwner, owner, "MEMBER_EXISTS"],
    [
      "one membership more than fits",
      userWith({ memberships: memberships(userLimits.memberships) }),
      owner,
      "LIMIT_REACHED",
    ],
  ])("refuses %s", (_, state, caller, reason) => {
    const { events, rejection } = grantMembership({ user: state, caller }, grant, now);
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });

  test("refuses a role that gives more than the caller holds there", () => {
    // No role of today grants memberships without holding everything below: the rule stands alone.
    const permission = "user.write" as const;
    const states = { user: userWith(), caller: manager };
    const refused = grantMembership(states, { ...grant, permission }, now);
    const lesser = { ...grant, permission, roles: ["ORG_USER_MANAGER"] };
    const accepted = grantMembership(states, lesser, now);
    expect(refused.rejection?.reason).toBe("ESCALATION_DENIED");
    expect(accepted).toEqual(granted(inHome, ["ORG_USER_MANAGER"]));
  });
});

describe("grantMembership on a project", () => {
  const grant = {
    scope: onProject,
    roles: ["PROJECT_OWNER"],
    permission: "project.member.write",
    ...raised,
  } as const;
  const project = { organization: home } as ProjectState;
  const states = { user: userWith(), caller: orgOwner, project };

  test("records the membership on the project", () => {
    expect(grantMembership(states, grant, now).events).toEqual({
      user: [
        {
          type: "user.membership.granted",
          payload: { scope: onProject, roles: ["PROJECT_OWNER"] },
        },
      ],
    });
  });

  test.each([
    ["an unknown project", { project: undefined }, {}, "PROJECT_NOT_FOUND"],
    [
      "a project of another organization",
      { project: { ...project, organization: "org-b" } },
      {},
      "PROJECT_NOT_FOUND",
    ],
    ["an unknown user", { user: undefined }, {}, "USER_NOT_FOUND"],
    ["a role of the organization", {}, { roles: ["ORG_OWNER"] }, "INVALID_FIELDS"],
  ])("refuses %s", (_, given, rest, reason) => {
    const { events, rejection } = grantMembership(
      { ...states, ...given },
      { ...grant, ...rest },
      now,
    );
    expect([events, rejection?.reason]).toEqual([{}, reason]);
  });
});

describe("laws", () => {
  const ids = fc.constantFrom("__proto__", "constructor", "1", "02", "a", "b");
  const callers = fc.constantFrom(undefined, userWith(), owner, orgOwner, manager);
  const organizations = fc.constantFrom("org-of-the-test", home);
  const scopes = fc.constantFrom(instance, inHome, onProject);
  const counts = fc.integer({ min: 0, max: 2 });
  const roleNames = fc.array(
    fc.constantFrom("IAM_OWNER", "ORG_OWNER", "ORG_USER_MANAGER", "PROJECT_OWNER", "toString"),
    { minLength: 1, maxLength: 4 },
  );
  // Hashes are of fresh secrets: none comes twice.
  let hashes = 0;

  type Command = LifeCommand<UserState, UserEvent>;
  const of = ({ events, rejection }: ReturnType<typeof addMachineUser>) => ({
    events: events.user ?? [],
    ...(rejection ? { rejection } : {}),
  });
  const begin = fc
    .record({ userName: text(200), name: text(200), description: text(500, 0) })
    .map<Command>(
      (given) => (state) =>
        state === undefined
          ? of(addMachineUser({ ...given, accessTokenType: "JWT" }))
          : { events: [] },
    );
  const add = fc
    .record({ tokenId: ids, caller: callers, organization: organizations, endMs: fc.integer() })
    .map<Command>(({ caller, endMs, ...given }) => (state) => {
      // An id is fresh as well: one who adds a token chooses one that is not there.
      hashes += 1;
      const taken = state !== undefined && Object.hasOwn(state.tokens, given.tokenId);
      const tokenId = `${given.tokenId}${taken ? hashes : ""}`;
      const input = { ...given, tokenId, tokenHash: `hash ${hashes}`, expirationMs: endMs };
      return of(addToken({ user: state, caller }, input, 0));
    });
  const remove = fc
    .record({ tokenId: ids, caller: callers, organization: organizations })
    .map<Command>(
      ({ caller, ...given }) =>
        (state) =>
          of(removeToken({ user: state, caller, owners: 2 }, given)),
    );
  const grant = fc
    .record({ scope: scopes, roles: roleNames, caller: callers, maker: callers })
    .map<Command>(({ caller, maker: made, ...given }) => (state) => {
      const states = { user: state, caller, [makerName(maker)]: made };
      const permission = "org.member.write";
      const grant = { ...given, ...raised, permission } as const;
      return of(grantMembership(states, grant, now));
    });

  const replace = fc
    .record({ scope: scopes, roles: roleNames, caller: callers, owners: counts })
    .map<Command>(({ caller, owners, ...given }) => (state) => {
      const grant = { ...given, ...raised, permission: "org.member.write" } as const;
      return of(updateMembership({ user: state, caller, owners }, grant, now));
    });

  const leave = fc.record({ scope: scopes, caller: callers, owners: counts }).map<Command>(
    ({ caller, owners, ...given }) =>
      (state) =>
        of(removeMembership({ user: state, caller, owners }, given)),
  );
  const switched = fc
    .record({
      decide: fc.constantFrom(deactivateUser, reactivateUser, removeUser),
      caller: callers,
      organization: organizations,
      owners: counts,
    })
    .map<Command>(
      ({ decide, caller, owners, ...place }) =>
        (state) =>
          of(decide({ user: state, caller, owners }, { ...place, userId: "user" }, now)),
    );

  const acting = [add, add, remove, grant, replace, leave, switched];
  const commands = fc.oneof({ weight: 3, arbitrary: begin }, ...acting);
  holdLaws(user, commands, Object.values(instanceFields));
});
