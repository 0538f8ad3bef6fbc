import { expect, test } from "@jest/globals";
import { unlockUser } from "../../../src/domain/user/status.ts";
import { person } from "./people.ts";
import { home, manager, now, orgOwner, userWith } from "./users.ts";

const unlocked = { events: { user: [{ type: "user.human.unlocked", payload: {} }] } };
const refused = (reason: string) => ({ events: {}, rejection: { reason } });

const lockedUntil = (lockedUntilMs: number) =>
  person({
    login: { failures: 0, sinceMs: 0, sessions: [], browsers: [], consents: [], lockedUntilMs },
  });

test.each([
  ["who is locked", lockedUntil(now + 1), manager, home, unlocked],
  ["who is locked no more", lockedUntil(now), manager, home, refused("NOTHING_CHANGED")],
  ["who never was", person(), manager, home, refused("NOTHING_CHANGED")],
  ["who is a machine", userWith(), manager, home, refused("NOTHING_CHANGED")],
  ["elsewhere", lockedUntil(now + 1), manager, "org-b", refused("USER_NOT_FOUND")],
  ["who is unknown", undefined, manager, home, refused("USER_NOT_FOUND")],
  ["who holds more", orgOwner, manager, home, refused("ESCALATION_DENIED")],
  ["of a caller who is gone", orgOwner, undefined, home, refused("ESCALATION_DENIED")],
] as const)("unlocks only who is locked: a user %s", (_, user, caller, organization, decided) => {
  expect(unlockUser({ user, caller }, { organization }, now)).toMatchObject(decided);
});
