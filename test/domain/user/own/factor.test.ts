import { describe, expect, test } from "@jest/globals";
import { login } from "../../../../src/domain/policy/login.ts";
import { waysBy } from "../../../../src/domain/policy/obey.ts";
import { useOTP } from "../../../../src/domain/user/login/otp.ts";
import { useRecoveryCode } from "../../../../src/domain/user/login/recovery.ts";
import {
  addOwnOTP,
  removeOwnOTP,
  setRecoveryCodes,
} from "../../../../src/domain/user/own/factor.ts";
import { removeOwnPasskey } from "../../../../src/domain/user/own/passkey.ts";
import type { EndingDecision } from "../../../../src/domain/user/state/acting.ts";
import { dayLimits } from "../../../../src/domain/user/state/day.ts";
import type { UserEvent } from "../../../../src/domain/user/state/event.ts";
import type { UserState } from "../../../../src/domain/user/state/user.ts";
import { begun, deactivated, given, startMs, typesOf } from "../logins.ts";

const row = "an authenticator app that nobody has";
const own = { userId: "ada", sessionId: "here" };
const now = startMs + 1_000;
const app: UserEvent = { type: "user.human.otp.added", payload: { secret: "sealed" } };
const codes = { ...own, hashes: ["a", "b"] };
const next = { ...own, secret: "sealed too", step: 7 };
const set: UserEvent = { type: "user.human.recovery_codes.set", payload: { hashes: ["a"] } };
const removed: UserEvent = { type: "user.human.otp.removed", payload: {} };
const times = (count: number, ...events: readonly UserEvent[]) =>
  Array.from({ length: count }, () => events).flat();

const joined = (sessionId: string): UserEvent => {
  return { type: "user.human.session.joined", payload: { sessionId, clientId: "app" } };
};

/** The person after what was decided on a state, with all that had led to it. */
function stateAfter(before: readonly UserEvent[], decision: EndingDecision): UserState {
  return given(...before, ...(decision.events.user ?? []));
}

describe.each<readonly [string, (state: UserState | undefined) => EndingDecision]>([
  ["an own app", (state) => addOwnOTP(state, next, now)],
  ["the removal of an own app", (state) => removeOwnOTP(state, own, now)],
  ["own recovery codes", (state) => setRecoveryCodes(state, codes, now)],
])("%s", (_what, decide) => {
  test.each([
    ["nobody", undefined],
    ["somebody who is not logged in", given(app)],
    ["somebody who is logged in elsewhere", given(app, begun("there"))],
    ["somebody out of use", given(app, begun("here"), deactivated)],
  ])("is refused to %s", (_who, state) => {
    const decision = decide(state);
    expect([decision.rejection?.reason, typesOf(decision)]).toEqual(["UNAUTHENTICATED", []]);
  });
});

test("passkeys are removed so often in a day, and no more", () => {
  const { factorsOfDay } = dayLimits;
  const gone: UserEvent = {
    type: "user.human.passwordless.token.removed",
    payload: { credentialId: "gone", sessions: ["here"] },
  };
  const key = { credentialId: "key", publicKey: "p", counter: 0, transports: [], name: "" };
  const link = { codeId: "c", codeHash: "h", expirationMs: startMs + 60_000 };
  const added: readonly UserEvent[] = [
    { type: "user.human.passwordless.initialization.code.added", payload: link },
    { type: "user.human.passwordless.token.added", payload: { codeId: "c", ...key } },
  ];
  const state = (count: number) => given(begun("here"), ...times(count, gone), ...added);
  const ways = waysBy(login.defaults, []);
  const remove = (count: number) =>
    removeOwnPasskey(state(count), { ...own, credentialId: "key", ways }, now);
  expect(remove(factorsOfDay - 1).rejection).toBeUndefined();
  expect(remove(factorsOfDay)).toMatchObject({ rejection: { reason: "LIMIT_REACHED" } });
});

describe("recovery codes", () => {
  test("replace those before, where there is an app", () => {
    const before = [app, begun("here"), set];
    const decision = setRecoveryCodes(given(...before), codes, now);
    expect(decision.events.user).toEqual([
      { type: "user.human.recovery_codes.set", payload: { hashes: ["a", "b"] } },
    ]);
    expect(stateAfter(before, decision).human?.recoveryCodes).toEqual(["a", "b"]);
    const without = setRecoveryCodes(given(begun("here")), codes, now);
    expect([without.rejection?.reason, typesOf(without)]).toEqual(["OTP_NOT_FOUND", []]);
  });

  test("say who made what the session began with", () => {
    const state = given(app, begun("here", "mine", ["boss"]));
    expect(setRecoveryCodes(state, codes, now).events.user).toMatchObject([
      { payload: { hashes: ["a", "b"], via: ["boss"] } },
    ]);
  });

  test("are made so often in a day, and no more", () => {
    const { factorsOfDay } = dayLimits;
    const state = (count: number) => given(app, begun("here"), ...times(count, set));
    expect(setRecoveryCodes(state(factorsOfDay - 1), codes, now).rejection).toBeUndefined();
    const full = setRecoveryCodes(state(factorsOfDay), codes, now);
    expect([full.rejection?.reason, typesOf(full)]).toEqual(["LIMIT_REACHED", []]);
    // `set` is the third event at the earliest: a day behind it is another one.
    const tomorrow = startMs + 3 + 24 * 60 * 60_000;
    expect(setRecoveryCodes(state(factorsOfDay), codes, tomorrow).rejection).toBeUndefined();
  });
});

describe(`${row}: an own one`, () => {
  test("counts from the code on by which it was shown, which is used up", () => {
    const before = [begun("here"), begun("there", "other"), joined("there")];
    const decision = addOwnOTP(given(...before), next, now);
    expect(typesOf(decision)).toEqual(["user.human.otp.added", "user.human.otp.used"]);
    expect(decision.events.logouts).toEqual([]);
    const state = stateAfter(before, decision);
    expect(state.human?.otpSecret).toBe("sealed too");
    expect(state.human?.login?.sessions).toHaveLength(2);
    expect(useOTP(state, 7).rejection?.reason).toBe("UNAUTHENTICATED");
    expect(useOTP(state, 8).rejection).toBeUndefined();
  });

  test("takes the place of the one before, with all that this one's removal ends", () => {
    const before = [app, set, begun("here"), begun("there", "other"), joined("there")];
    const decision = addOwnOTP(given(...before), next, now);
    expect(typesOf(decision)).toEqual([
      ...["user.human.otp.removed", "user.human.otp.added", "user.human.otp.used"],
    ]);
    expect(decision.events.logouts).toHaveLength(1);
    const { human } = stateAfter(before, decision);
    expect(human).toMatchObject({ otpSecret: "sealed too", recoveryCodes: [] });
    expect(human?.login?.sessions.map(({ sessionId }) => sessionId)).toEqual(["here"]);
  });

  test("is added once, however often the form comes", () => {
    const before = [begun("here")];
    const state = stateAfter(before, addOwnOTP(given(...before), next, now));
    expect(addOwnOTP(state, next, now)).toEqual({ events: {} });
  });

  test("is removed with recovery codes, and ends all but the session in which that is done", () => {
    const before = [
      ...[app, set, begun("here"), joined("here"), begun("there", "other"), joined("there")],
    ];
    const decision = removeOwnOTP(given(...before), own, now);
    expect(decision.events.user).toEqual([
      { type: "user.human.otp.removed", payload: { sessions: ["here"] } },
    ]);
    expect(decision.events.logouts).toHaveLength(1);
    expect(JSON.stringify(decision.events.logouts)).toContain("there");
    const { human } = stateAfter(before, decision);
    expect(human).not.toHaveProperty("otpSecret");
    expect(human).toMatchObject({ recoveryCodes: [], login: { resets: 1, browsers: [] } });
    expect(human?.login?.sessions.map(({ sessionId }) => sessionId)).toEqual(["here"]);
    const again = removeOwnOTP(given(begun("here")), own, now);
    expect([again.rejection?.reason, typesOf(again)]).toEqual(["OTP_NOT_FOUND", []]);
  });

  test("is removed so often in a day, and no more", () => {
    const { factorsOfDay } = dayLimits;
    const state = (count: number) => given(...times(count, app, removed), app, begun("here"));
    expect(removeOwnOTP(state(factorsOfDay - 1), own, now).rejection).toBeUndefined();
    const full = removeOwnOTP(state(factorsOfDay), own, now);
    expect([full.rejection?.reason, typesOf(full)]).toEqual(["LIMIT_REACHED", []]);
    expect(addOwnOTP(state(factorsOfDay), next, now).rejection?.reason).toBe("LIMIT_REACHED");
  });

  test("that an administrator removes leaves no session", () => {
    const { human } = given(app, begun("here"), removed);
    expect(human?.login?.sessions).toEqual([]);
  });
});

describe(`${row}: a person with a verified address`, () => {
  const verified: UserEvent = { type: "user.human.email.verified", payload: {} };
  const toldBy = ({ events }: EndingDecision) =>
    (events.user ?? []).flatMap((event) =>
      event.type === "user.human.notice.added" ? [event.payload.about] : [],
    );

  test("is told by mail of each change, and once of an app in the place of another", () => {
    const without = given(verified, begun("here"));
    const state = given(verified, app, begun("here"));
    expect(toldBy(addOwnOTP(without, next, now))).toEqual(["otp.added"]);
    expect(toldBy(addOwnOTP(state, next, now))).toEqual(["otp.added"]);
    expect(toldBy(removeOwnOTP(state, own, now))).toEqual(["otp.removed"]);
    expect(toldBy(setRecoveryCodes(state, codes, now))).toEqual(["recovery_codes.added"]);
    const holder = given(verified, app, set);
    expect(toldBy(useRecoveryCode(holder, { opens: () => true }))).toEqual(["recovery_code.used"]);
  });
});
