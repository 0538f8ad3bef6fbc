import { expect, test } from "@jest/globals";
import type { Membership, Role, Scope } from "../../../../src/domain/permission.ts";
import type { UserEvent } from "../../../../src/domain/user/state/event.ts";
import { membershipIn } from "../../../../src/domain/user/state/held-roles.ts";
import { type UserState, user } from "../../../../src/domain/user/state/user.ts";
import { begun, given } from "../logins.ts";
import { home, inHome, instance, onProject, userWith } from "../users.ts";

/** What memberships leave in the state of a user, and what lists find members by. */

const give = (scope: Scope, roles: readonly Role[], more: object = {}, type = "granted") =>
  ({ type: `user.membership.${type}`, payload: { scope, roles, ...more } }) as UserEvent;
const replace = (scope: Scope, roles: readonly Role[], more: object = {}) =>
  give(scope, roles, more, "changed");

/** The state after events at 1, 2 … */
function after(state: UserState, ...events: readonly UserEvent[]): UserState {
  return events.reduce(
    (before, event, index) =>
      user.evolve(before, { ...event, owner: home, actor: "x", timeMs: index + 1 })!,
    state,
  );
}

test("a membership knows when it was granted and when its roles were replaced", () => {
  const { memberships } = after(
    userWith(),
    give(inHome, ["ORG_OWNER"]),
    give(onProject, ["PROJECT_OWNER"]),
    replace(inHome, ["ORG_USER_MANAGER"]),
  );
  expect(memberships).toEqual([
    { scope: inHome, roles: ["ORG_USER_MANAGER"], addedMs: 1, changedMs: 3 },
    { scope: onProject, roles: ["PROJECT_OWNER"], addedMs: 2, changedMs: 2 },
  ]);
  expect(membershipIn(memberships, onProject)).toBe(memberships[1]);
  expect(membershipIn<Membership>(memberships, instance)).toBeUndefined();
});

test("each membership is a claim in its place, and is one no more when it ends", () => {
  const scopes = (state: UserState) =>
    user.claims(state).flatMap(({ kind, scope }) => (kind === "user.membership" ? [scope] : []));
  const member = after(
    userWith(),
    give(instance, ["IAM_OWNER"]),
    give(inHome, ["ORG_OWNER"]),
    give(onProject, ["PROJECT_OWNER"]),
  );
  expect(scopes(member)).toEqual(["", home, onProject.project]);
  const removed = { type: "user.membership.removed", payload: { scope: inHome } } as const;
  expect(scopes(after(member, removed))).toEqual(["", onProject.project]);
  const all = { type: "user.memberships.removed", payload: { organization: home } } as const;
  expect(scopes(after(member, all))).toEqual([""]);
});

test("only members of the instance have what their list is sorted by", () => {
  const rowOf = (state: UserState) => user.row(state).fields;
  const plain = Object.keys(rowOf(userWith()));
  const there = after(
    userWith(),
    give(inHome, ["ORG_OWNER"]),
    give(instance, ["IAM_OWNER"]),
    replace(instance, ["IAM_OWNER_VIEWER"]),
  );
  const time = (ms: number) => String(ms).padStart(16, "0");
  expect(rowOf(there)).toMatchObject({
    instanceAdded: time(2),
    instanceChanged: time(3),
    instanceOrganization: home,
  });
  expect(Object.keys(rowOf(after(userWith(), give(inHome, ["ORG_OWNER"]))))).toEqual(plain);
});

test("a further role ends consents and sessions as a grant does, and no other change does", () => {
  const lesser = ["somebody"];
  const consent = { consentId: "k", clientId: "app", scopes: [] } as never;
  const before = given(
    begun("s", "mine", lesser),
    begun("t", "mine", lesser),
    { type: "user.human.consent.given", payload: consent },
    give(inHome, ["ORG_USER_MANAGER"], { sessions: ["s", "t"] }),
    { type: "user.human.consent.given", payload: consent },
  );
  const logins = (state: UserState) => state.human?.login;
  const asGranted = logins(after(before, give(onProject, ["PROJECT_OWNER"], { sessions: ["s"] })));
  const more: readonly Role[] = ["ORG_OWNER", "ORG_USER_MANAGER"];
  const raised = after(before, replace(inHome, more, { sessions: ["s"] }));
  expect(logins(raised)).toEqual(asGranted);
  expect(logins(raised)).not.toEqual(logins(before));
  expect(logins(after(raised, replace(inHome, ["ORG_OWNER"])))).toEqual(logins(raised));
});
