import { describe, expect, test } from "@jest/globals";
import { updateOwnProfile } from "../../../../src/domain/user/change.ts";
import {
  findEmailRequest,
  proveEmailRequest,
  requestEmail,
  resendEmailRequest,
  verifyEmail,
  withdrawEmailRequest,
} from "../../../../src/domain/user/own/email.ts";
import { replaceOwnPassword } from "../../../../src/domain/user/own/password.ts";
import {
  removeOwnPhone,
  resendOwnPhoneCode,
  setOwnPhone,
} from "../../../../src/domain/user/own/phone.ts";
import type { EndingDecision } from "../../../../src/domain/user/state/acting.ts";
import { dayLimits } from "../../../../src/domain/user/state/day.ts";
import type { UserEvent } from "../../../../src/domain/user/state/event.ts";
import type { Profile } from "../../../../src/domain/user/state/human-state.ts";
import { codeFailuresMax } from "../../../../src/domain/user/state/human-state.ts";
import type { UserState } from "../../../../src/domain/user/state/user.ts";
import { begun, deactivated, given, startMs, typesOf } from "../logins.ts";

const own = { userId: "ada", sessionId: "here" };
const now = startMs + 1_000;
const profile: Profile = {
  ...{ firstName: "Ada", lastName: "King", nickName: "", displayName: "Ada King" },
  ...{ preferredLanguage: "de", gender: "FEMALE" },
};
const wanted = { ...own, email: "new@example.com", code: "sealed" };
const changed = { ...own, from: "hash", to: "another" };
const asked = (via?: readonly string[], resets = 0): UserEvent => ({
  type: "user.human.email.requested",
  payload: {
    email: "new@example.com",
    code: "sealed",
    sessionId: "here",
    resets,
    ...(via && { via }),
  },
});
const verified: UserEvent = { type: "user.human.email.verified", payload: {} };
const missed: UserEvent = { type: "user.human.email.request.failed", payload: {} };
const invited: UserEvent = {
  type: "user.human.initialization.code.added",
  payload: { code: "sealed" },
};
const right = { userId: "ada", opens: (sealed: string) => sealed === "sealed" };
const wrong = { userId: "ada", opens: () => false };
const phoneOf = { ...own, phone: "+41446681800", code: "sealed" };
const times = (count: number, event: UserEvent) => Array.from({ length: count }, () => event);
const told = (sessionId: string): UserEvent => {
  return { type: "user.human.session.joined", payload: { sessionId, clientId: "app" } };
};

type Decide = (state: UserState | undefined) => EndingDecision;

const all: readonly (readonly [string, Decide])[] = [
  ["names", (state) => updateOwnProfile(state, own, profile, now)],
  ["a password", (state) => replaceOwnPassword(state, changed, now)],
  ["an address", (state) => requestEmail(state, wanted, now)],
  ["another mail", (state) => resendEmailRequest(state, wanted, now)],
  ["no address after all", (state) => withdrawEmailRequest(state, own, now)],
  ["a phone", (state) => setOwnPhone(state, phoneOf, now)],
  ["another SMS", (state) => resendOwnPhoneCode(state, phoneOf, now)],
  ["no phone", (state) => removeOwnPhone(state, own, now)],
];

describe.each(all)("%s of one's own", (_what, decide) => {
  test.each([
    ["somebody who is not logged in", "UNAUTHENTICATED", given(asked())],
    ["somebody who is logged in elsewhere", "UNAUTHENTICATED", given(asked(), begun("there"))],
    [
      "somebody who has yet to begin",
      "USER_NOT_INITIALIZED",
      given(begun("here"), asked(), invited),
    ],
  ])("is refused to %s", (_who, reason, state) => {
    const decision = decide(state);
    expect([decision.rejection?.reason, typesOf(decision)]).toEqual([reason, []]);
  });

  test("is refused to somebody out of use", () => {
    const decision = decide(given(begun("here"), asked(), deactivated));
    expect([decision.rejection === undefined, typesOf(decision)]).toEqual([false, []]);
  });
});

/** The person after what was decided on a state, with all that had led to it. */
function stateAfter(before: readonly UserEvent[], decision: EndingDecision): UserState {
  return given(...before, ...(decision.events.user ?? []));
}

describe("own names", () => {
  test("are what they are, as often as there is room for in a day", () => {
    const before = [begun("here")];
    const decision = updateOwnProfile(given(...before), own, profile, now);
    expect(stateAfter(before, decision).human).toMatchObject(profile);
    const change: UserEvent = { type: "user.human.profile.changed", payload: profile };
    const other = { ...profile, nickName: "A" };
    const day = (count: number) => given(...before, ...times(count, change));
    expect(
      updateOwnProfile(day(dayLimits.changesOfDay - 1), own, other, now).rejection,
    ).toBeUndefined();
    expect(updateOwnProfile(day(dayLimits.changesOfDay), own, other, now)).toMatchObject({
      ...{ events: {}, rejection: { reason: "LIMIT_REACHED" } },
    });
    expect(updateOwnProfile(day(1), own, profile, now).rejection?.reason).toBe("NOTHING_CHANGED");
  });
});

describe("an own password", () => {
  test("ends all that came from other logins, and keeps the session", () => {
    const before = [begun("there"), told("there"), begun("here"), told("here"), verified];
    const decision = replaceOwnPassword(given(...before), changed, now);
    expect(typesOf(decision)).toEqual([
      "user.human.password.changed",
      "user.human.sessions.ended",
      "user.human.notice.added",
    ]);
    expect(decision.events.logouts).toHaveLength(1);
    const { human } = stateAfter(before, decision);
    expect(human).toMatchObject({
      ...{ passwordHash: "another", passwordChangeRequired: false },
      login: { sessions: [{ sessionId: "here" }], browsers: [], consents: [], resets: 1 },
    });
  });

  test("is not set over one that somebody has set meanwhile", () => {
    const decision = replaceOwnPassword(given(begun("here")), { ...changed, from: "old" }, now);
    expect([decision.rejection?.reason, typesOf(decision)]).toEqual(["CONFLICT", []]);
  });

  test.each([
    ["of one's own", undefined, undefined],
    ["that others had a hand in", ["boss"], ["boss"]],
  ])("has the makers of a session %s", (_what, via, expected) => {
    const before = [begun("here", "mine", via)];
    const made = stateAfter(before, replaceOwnPassword(given(...before), changed, now)).human
      ?.passwordMade;
    expect([made?.maker, made?.via]).toEqual(["ada", expected]);
  });

  test("is changed as often as there is room for in a day", () => {
    const payload = { count: 0, sessions: ["here"] };
    const ended: UserEvent = { type: "user.human.sessions.ended", payload };
    const day = (count: number) => given(begun("here"), ...times(count, ended));
    const most = dayLimits.changesOfDay;
    expect(replaceOwnPassword(day(most - 1), changed, now).rejection).toBeUndefined();
    expect(replaceOwnPassword(day(most), changed, now).rejection?.reason).toBe("LIMIT_REACHED");
  });
});

describe("an address that a person asks for", () => {
  test("waits, and leaves the one before in use", () => {
    const before = [verified, begun("here")];
    const state = stateAfter(before, requestEmail(given(...before), wanted, now));
    expect(state.human).toMatchObject({ email: "ada@example.com", isEmailVerified: true });
    expect(findEmailRequest(state)).toMatchObject({ email: "new@example.com", failures: 0 });
    const same = { ...wanted, email: "ada@example.com" };
    expect(requestEmail(given(...before), same, now).rejection?.reason).toBe("NOTHING_CHANGED");
    expect(requestEmail(given(begun("here")), same, now).rejection).toBeUndefined();
  });

  test("is asked for as often as there is room for in a day", () => {
    const day = (count: number) => given(begun("here"), ...times(count, asked()));
    const most = dayLimits.addressesOfDay;
    expect(requestEmail(day(most - 1), wanted, now).rejection).toBeUndefined();
    expect(resendEmailRequest(day(most), wanted, now).rejection?.reason).toBe("LIMIT_REACHED");
  });

  test.each([
    ["of one's own", undefined],
    ["that others had a hand in", ["boss"]],
  ])("is the person's when it is proven, by way of a session %s", (_what, via) => {
    const before = [verified, begun("there"), told("there"), begun("here", "mine", via)];
    const waiting = [...before, ...(requestEmail(given(...before), wanted, now).events.user ?? [])];
    const decision = proveEmailRequest(given(...waiting), right, now);
    expect(decision.events.user).toMatchObject([
      { type: "user.human.email.changed", payload: { email: "new@example.com" } },
      { type: "user.human.email.verified" },
      { type: "user.human.sessions.ended", payload: { count: 1, sessions: ["here"] } },
      {
        type: "user.human.notice.added",
        payload: { about: "email.changed", to: "ada@example.com" },
      },
    ]);
    expect(decision.events.logouts).toHaveLength(1);
    const { human } = stateAfter(waiting, decision);
    expect(human).toMatchObject({ email: "new@example.com", isEmailVerified: true });
    expect([human?.emailMade, human?.emailRequest]).toEqual([
      { maker: "ada", ...(via && { via }) },
      undefined,
    ]);
  });

  test("keeps the session in which its code is typed", () => {
    const before = [begun("here"), begun("there"), asked()];
    const shown = { ...right, sessionId: "there" };
    const { human } = stateAfter(before, proveEmailRequest(given(...before), shown, now));
    expect(human?.login?.sessions).toMatchObject([{ sessionId: "there" }]);
  });

  test("is proven by the fifth try, and by none after five wrong ones", () => {
    const tried = (count: number) => given(begun("here"), asked(), ...times(count, missed));
    expect(typesOf(proveEmailRequest(tried(0), wrong, now))).toEqual([missed.type]);
    expect(proveEmailRequest(tried(codeFailuresMax - 1), right, now).rejection).toBeUndefined();
    const late = proveEmailRequest(tried(codeFailuresMax), right, now);
    expect([late.rejection?.reason, typesOf(late)]).toEqual(["CODE_INVALID", []]);
  });

  const other: UserEvent = {
    type: "user.human.email.changed",
    payload: { email: "o@example.com" },
  };
  const role: UserEvent = {
    type: "user.membership.granted",
    payload: { scope: { level: "organization", organization: "org" }, roles: ["ORG_OWNER"] },
  };
  test.each<readonly [string, readonly UserEvent[]]>([
    [
      "the person withdraws it",
      [asked(), { type: "user.human.email.request.withdrawn", payload: {} }],
    ],
    ["an administrator gives another", [asked(), other]],
    [
      "all logins have ended",
      [asked(), { type: "user.human.sessions.terminated", payload: { count: 1 } }],
    ],
    [
      "the password is replaced",
      [asked(), { type: "user.human.password.reset", payload: { passwordHash: "h" } }],
    ],
    ["the person is locked out", [asked(), deactivated, { type: "user.reactivated", payload: {} }]],
    ["others had a hand in it, and the person gets a role", [asked(["boss"]), role]],
  ])("is gone once %s", (_what, events) => {
    const state = given(begun("here"), ...events);
    expect(findEmailRequest(state)).toBeUndefined();
    expect(proveEmailRequest(state, right, now).rejection?.reason).toBe("CODE_INVALID");
  });

  test("stays with a role where nobody else had a hand in it", () => {
    expect(findEmailRequest(given(begun("here"), asked(), role))).toBeDefined();
  });
});

describe("the code of a mail", () => {
  const code: UserEvent = {
    type: "user.human.email.code.added",
    payload: { code: "of the first" },
  };
  const state = given(begun("here"), code, asked());
  const nothing = { userId: "ada", opens: () => false, opensRequest: () => false };

  test("verifies the address in use, or the one that was asked for", () => {
    const ofFirst = { ...nothing, opens: (sealed: string) => sealed === "of the first" };
    expect(typesOf(verifyEmail(state, ofFirst, now))).toEqual(["user.human.email.verified"]);
    const ofNew = { ...nothing, opensRequest: right.opens };
    expect(typesOf(verifyEmail(state, ofNew, now))).toContain("user.human.email.changed");
  });

  test("is counted for both where it is wrong", () => {
    expect(typesOf(verifyEmail(state, nothing, now))).toEqual([
      missed.type,
      "user.human.email.verification.failed",
    ]);
    expect(typesOf(verifyEmail(given(), nothing, now))).toEqual([]);
  });
});
