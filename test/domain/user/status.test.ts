import { describe, expect, test } from "@jest/globals";
import type { Scope } from "../../../src/domain/permission.ts";
import { removeMembership } from "../../../src/domain/user/membership.ts";
import {
  type ActingAmongOwners,
  refuseLastOwner,
  type UserDecision,
} from "../../../src/domain/user/state/acting.ts";
import type { UserEvent } from "../../../src/domain/user/state/event.ts";
import {
  isActiveOwner,
  statusOf,
  type UserState,
  user,
} from "../../../src/domain/user/state/user.ts";
import { deactivateUser, reactivateUser, removeUser } from "../../../src/domain/user/status.ts";
import {
  held,
  holderOf,
  home,
  inactive,
  inHome,
  instance,
  machine,
  manager,
  now,
  onProject,
  orgOwner,
  owner,
  userWith,
} from "./users.ts";

const elsewhere: Scope = { level: "organization", organization: "org-b" };
const viewer = holderOf("IAM_OWNER_VIEWER", instance);

const decisions = { deactivateUser, reactivateUser, removeUser };
type Name = keyof typeof decisions;

/** The types of the events, or the reason of the refusal. */
function cameTo({ events, rejection }: UserDecision): unknown {
  return rejection === undefined
    ? events.user?.map(({ type }) => type)
    : [rejection.reason, events];
}

const refused = (reason: string) => [reason, {}];

describe("a user is", () => {
  test.each([
    ["deactivateUser", userWith(), "user.deactivated"],
    ["reactivateUser", inactive(userWith()), "user.reactivated"],
    ["removeUser", userWith(), "user.removed"],
    ["removeUser", inactive(userWith()), "user.removed"],
  ] as const)("changed by %s of %j", (name, state, type) => {
    const acting = { user: state, caller: manager, owners: 1 };
    const place = { organization: home, userId: "user" };
    const { events } = decisions[name](acting, place, now);
    expect(events).toMatchObject({ user: [{ type, payload: {} }] });
  });

  test.each([
    ["deactivateUser", inactive(userWith())],
    ["reactivateUser", userWith()],
  ] as const)("left by %s as it is", (name, state) => {
    const acting = { user: state, caller: manager, owners: 1 };
    expect(cameTo(decisions[name](acting, { organization: home, userId: "user" }, now))).toEqual(
      refused("NOTHING_CHANGED"),
    );
  });

  const states: readonly (readonly [string, Partial<ActingAmongOwners>, string, string])[] = [
    ["an unknown user", { user: undefined }, home, "USER_NOT_FOUND"],
    ["a user of another organization", { caller: owner }, "org-b", "USER_NOT_FOUND"],
    ["who holds more", { user: orgOwner }, home, "ESCALATION_DENIED"],
    ["who holds something else", { user: holderOf("PROJECT_OWNER", onProject) }, home, "ESCALAT"],
    ["who holds it elsewhere", { user: holderOf("ORG_OWNER", elsewhere) }, home, "ESCALATION"],
    ["an owner of the instance", { user: owner, owners: 2 }, home, "ESCALATION_DENIED"],
    ["the last owner", { user: owner, owners: 1 }, home, "ESCALATION_DENIED"],
    ["whose caller is gone", { user: manager, caller: undefined }, home, "ESCALATION_DENIED"],
    ["whose caller lost the role", { user: manager, caller: userWith() }, home, "ESCALATION"],
  ];
  test.each(states)("refused where it is %s", (_, given, organization, reason) => {
    for (const name of Object.keys(decisions) as Name[]) {
      const acting = { user: userWith(), caller: manager, owners: 1, ...given };
      const { events, rejection } = decisions[name](acting, { organization, userId: "user" }, now);
      expect([name, events, rejection?.reason]).toEqual([
        name,
        {},
        expect.stringMatching(`^${reason}`),
      ]);
      // Whether it is in use already is not told either.
      const other = { ...acting, ...(acting.user ? { user: inactive(acting.user) } : {}) };
      expect(decisions[name](other, { organization, userId: "user" }, now)).toEqual({
        events,
        rejection,
      });
    }
  });

  test("acted on by itself too", () => {
    for (const decide of [deactivateUser, removeUser]) {
      const acting = { user: manager, caller: manager, owners: 1 };
      expect(decide(acting, { organization: home, userId: "user" }, now).rejection).toBeUndefined();
    }
  });
});

describe("the last owner", () => {
  const both: UserState = {
    ...owner,
    memberships: held({ scope: instance, roles: ["IAM_OWNER_VIEWER", "IAM_OWNER"] }),
  };
  const last = refused("LAST_OWNER");

  // Per user and number of active owners: what comes of deactivating, removing and RemoveIAMMember.
  test.each<readonly [string, UserState, number, readonly unknown[]]>([
    ["an owner", owner, 1, [last, last, last]],
    ["an owner with more roles", both, 1, [last, last, last]],
    [
      "one of two owners",
      owner,
      2,
      [["user.deactivated"], ["user.removed"], ["user.membership.removed"]],
    ],
    // One who is not counted among the active ones may go, however few they are.
    [
      "an inactive owner",
      inactive(owner),
      1,
      [refused("NOTHING_CHANGED"), ["user.removed"], ["user.membership.removed"]],
    ],
    ["a viewer", viewer, 1, [["user.deactivated"], ["user.removed"], ["user.membership.removed"]]],
    [
      "the owner of an organization",
      orgOwner,
      1,
      [["user.deactivated"], ["user.removed"], refused("MEMBER_NOT_FOUND")],
    ],
  ])("%s (%#)", (_, state, owners, expected) => {
    const acting = { user: state, caller: owner, owners };
    const place = { organization: home, userId: "user" };
    expect([
      cameTo(deactivateUser(acting, place, now)),
      cameTo(removeUser(acting, place, now)),
      cameTo(removeMembership(acting, { scope: instance })),
    ]).toEqual(expected);
  });

  test("keeps the roles of the instance, and loses any other", () => {
    const memberships = held(
      ...owner.memberships,
      { scope: inHome, roles: ["ORG_OWNER"] },
      { scope: onProject, roles: ["PROJECT_OWNER"] },
    );
    const acting = { user: { ...owner, memberships }, caller: owner, owners: 1 };
    for (const scope of [inHome, onProject]) {
      expect(cameTo(removeMembership(acting, { scope }))).toEqual(["user.membership.removed"]);
    }
    expect(cameTo(removeMembership(acting, { scope: instance }))).toEqual(last);
  });

  test("is nobody where there is no user", () => {
    expect(refuseLastOwner({ user: undefined, owners: 0 })).toBeUndefined();
  });
});

describe("removeMembership", () => {
  const member = userWith({
    organization: "org-b",
    memberships: held(
      { scope: inHome, roles: ["ORG_USER_MANAGER"] },
      { scope: elsewhere, roles: ["ORG_OWNER"] },
    ),
  });

  test("takes the roles of one scope, wherever the user belongs, whatever it holds", () => {
    const acting = { user: member, caller: manager, owners: 1 };
    expect(removeMembership(acting, { scope: inHome })).toEqual({
      events: { user: [{ type: "user.membership.removed", payload: { scope: inHome } }] },
    });
  });

  test.each([
    ["an unknown user", undefined, owner, inHome, "MEMBER_NOT_FOUND"],
    ["a user without roles", userWith(), owner, inHome, "MEMBER_NOT_FOUND"],
    ["a member of a wider scope", orgOwner, owner, onProject, "MEMBER_NOT_FOUND"],
    [
      "a member of a narrower scope",
      holderOf("PROJECT_OWNER", onProject),
      owner,
      inHome,
      "MEMBER_NOT_FOUND",
    ],
    ["a member who is asked for by who is not", member, orgOwner, elsewhere, "ESCALATION_DENIED"],
    ["a member who holds more", orgOwner, manager, inHome, "ESCALATION_DENIED"],
    ["a member whose remover is gone", orgOwner, undefined, inHome, "ESCALATION_DENIED"],
  ] as const)("refuses %s", (_, state, caller, scope, reason) => {
    const acting = { user: state, caller, owners: 2 };
    expect(cameTo(removeMembership(acting, { scope }))).toEqual(refused(reason));
  });
});

describe("the state", () => {
  const envelope = { owner: home, actor: "x", timeMs: now };
  const folded = (...events: readonly UserEvent[]) =>
    events.reduce<UserState | undefined>(
      (state, event) => user.evolve(state, { ...event, ...envelope }),
      undefined,
    );
  const added: UserEvent = { type: "user.machine.added", payload: machine };
  const granted: UserEvent = {
    type: "user.membership.granted",
    payload: { scope: instance, roles: ["IAM_OWNER"] },
  };
  const change = (type: "user.deactivated" | "user.reactivated" | "user.removed"): UserEvent => ({
    type,
    payload: {},
  });
  const left: UserEvent = { type: "user.membership.removed", payload: { scope: instance } };
  const tokenAdded: UserEvent = {
    type: "user.token.added",
    payload: { tokenId: "t", tokenHash: "hash" },
  };
  const ending: UserEvent = {
    type: "user.token.added",
    payload: { tokenId: "e", tokenHash: "other", expirationMs: now + 1 },
  };
  const untoken: UserEvent = { type: "user.token.removed", payload: { tokenId: "t" } };
  const ownerClaim = { kind: "instance.owner", scope: "", value: "robot" };

  test.each<readonly [string, readonly UserEvent[], string, boolean]>([
    ["without roles", [added], "ACTIVE", false],
    ["as an owner", [added, granted, tokenAdded], "ACTIVE", true],
    ["as an owner without a token", [added, granted], "ACTIVE", false],
    ["as an owner whose token ends", [added, granted, ending], "ACTIVE", false],
    ["as an owner who had a token", [added, tokenAdded, granted, untoken], "ACTIVE", false],
    [
      "as a deactivated owner",
      [added, granted, tokenAdded, change("user.deactivated")],
      "INACTIVE",
      false,
    ],
    [
      "as an owner from being inactive on",
      [added, change("user.deactivated"), granted],
      "INACTIVE",
      false,
    ],
    [
      "as a reactivated owner",
      [added, granted, tokenAdded, change("user.deactivated"), change("user.reactivated")],
      "ACTIVE",
      true,
    ],
    ["as somebody who was an owner", [added, granted, left], "ACTIVE", false],
  ])("%s says so, and is counted where it is an active owner", (_, events, status, counted) => {
    const state = folded(...events)!;
    expect([statusOf(state), isActiveOwner(state)]).toEqual([status, counted]);
    expect(user.row(state).fields).toMatchObject({ state: status });
    const claims = user.claims(state).filter(({ kind }) => kind === "instance.owner");
    expect(claims).toEqual(counted ? [ownerClaim] : []);
  });

  test("after reactivation is what it was before", () => {
    const turned = folded(added, change("user.deactivated"), change("user.reactivated"));
    expect(turned).toStrictEqual(folded(added));
  });

  test("after removal is nothing", () => {
    expect(folded(added, granted, change("user.removed"))).toBeUndefined();
  });

  test("is not changed by what cannot have happened", () => {
    for (const type of ["user.deactivated", "user.reactivated"] as const) {
      expect(() => folded(change(type))).toThrow("first event");
    }
    expect(() => folded(left)).toThrow("first event");
  });

  test("is counted by the role on the instance alone", () => {
    const roles = [viewer, orgOwner, holderOf("PROJECT_OWNER", onProject), userWith()];
    expect(roles.map(isActiveOwner)).toEqual([false, false, false, false]);
  });
});
