import { describe, expect, test } from "@jest/globals";
import { rejectionFor } from "../../../../src/domain/decision.ts";
import {
  codeIntervalMs,
  removePhone,
  resendPhoneCode,
  setPhone,
  type Verification,
  verifyPhone,
} from "../../../../src/domain/user/human/phone.ts";
import type { UserEvent } from "../../../../src/domain/user/state/event.ts";
import { codeFailuresMax } from "../../../../src/domain/user/state/human-state.ts";
import type { HumanState } from "../../../../src/domain/user/state/login-state.ts";
import type { UserState } from "../../../../src/domain/user/state/user.ts";
import { humanAfter } from "../people.ts";
import { holderOf, home, maker, manager, now, orgOwner, owner, userWith } from "../users.ts";

const number = "+41446681800";
const other = "+16502530000";
const sealed = { code: "sealed ABCDEF", expirationMs: now + 1, send: true };

const person = (rest: Partial<HumanState> = {}): UserState => ({
  userName: "Ada",
  organization: home,
  tokens: {},
  memberships: [],
  human: {
    firstName: "Ada",
    lastName: "Lovelace",
    nickName: "",
    displayName: "Ada Lovelace",
    preferredLanguage: "",
    gender: "UNSPECIFIED",
    email: "ada@example.com",
    isEmailVerified: false,
    passwordChangeRequired: false,
    recoveryCodes: [],
    externalIDPs: [],
    passwordless: [],
    passkeys: [],
    ...rest,
  },
});
const none = person();
const pending = person({ phone: { number, isVerified: false, code: { ...sealed, failures: 0 } } });
const verified = person({ phone: { number, isVerified: true } });
/** The same with the time of the latest code. */
const since = ({ human }: UserState, phoneCodeMs: number) => person({ ...human, phoneCodeMs });

const changed = { type: "user.human.phone.changed", payload: { phone: other } };
const isVerified = { type: "user.human.phone.verified", payload: {} };
const code = (send: boolean) => ({
  type: "user.human.phone.code.added",
  payload: { code: "sealed NEW", expirationMs: now + 3_600_000, send },
});

const standing = { permission: "user.write" } as const;

type Expected = readonly object[] | string;

/** What a decision comes to, as one value: its events, or the reason of its refusal. */
function outcome({ events, rejection }: ReturnType<typeof removePhone>): Expected {
  return rejection === undefined ? (events.user ?? []) : rejection.reason;
}

describe("setPhone", () => {
  test.each<readonly [string, UserState, string, Verification, Expected]>([
    ["the first number", none, other, "SEND_CODE", [changed, code(true)]],
    ["to see the code", none, other, "RETURN_CODE", [changed, code(false)]],
    ["that it counts", none, other, "IS_VERIFIED", [changed, isVerified]],
    ["another number", pending, other, "SEND_CODE", [changed, code(true)]],
    ["another for a verified one", verified, other, "SEND_CODE", [changed, code(true)]],
    ["the same number", pending, number, "SEND_CODE", [code(true)]],
    ["that the same number counts", pending, number, "IS_VERIFIED", [isVerified]],
    ["a verified number", verified, number, "SEND_CODE", "NOTHING_CHANGED"],
    ["that a verified number counts", verified, number, "IS_VERIFIED", "NOTHING_CHANGED"],
    ["it of a machine", userWith(), other, "SEND_CODE", "USER_NOT_HUMAN"],
    ["it too soon", since(none, now), other, "SEND_CODE", "CODE_TOO_SOON"],
    ["to see it too soon", since(pending, now - 29_999), other, "RETURN_CODE", "CODE_TOO_SOON"],
    [
      "a code in time",
      since(none, now - codeIntervalMs),
      other,
      "SEND_CODE",
      [changed, code(true)],
    ],
    ["no code at any time", since(none, now), other, "IS_VERIFIED", [changed, isVerified]],
    // A clock may be set back: then the wait is at most twice as long.
    ["it before the latest", since(none, now + 5), other, "SEND_CODE", "CODE_TOO_SOON"],
    ["it 30 s before", since(none, now + codeIntervalMs), other, "SEND_CODE", "CODE_TOO_SOON"],
    [
      "it more than 30 s before",
      since(none, now + codeIntervalMs + 1),
      other,
      "SEND_CODE",
      [changed, code(true)],
    ],
  ])("asks for %s", (_, state, phone, verification, expected) => {
    const input = { ...standing, isSelf: false, phone, code: "sealed NEW", verification };
    expect(outcome(setPhone({ user: state, caller: manager }, input, now))).toEqual(expected);
  });

  test.each([
    [now, "30 s"],
    [now - 1, "30 s"],
    [now - 1_000, "29 s"],
    [now - 29_999, "1 s"],
    [now + codeIntervalMs, "60 s"],
  ])("says how long to wait after a code at %d", (phoneCodeMs, wait) => {
    const states = { user: since(none, phoneCodeMs), caller: manager };
    const input = {
      ...standing,
      isSelf: false,
      phone: other,
      code: "x",
      verification: "SEND_CODE",
    } as const;
    const { rejection } = setPhone(states, input, now);
    expect(rejection?.message).toBe(`A code was created just now: ask again in ${wait}.`);
  });
});

describe("resendPhoneCode", () => {
  test.each<readonly [string, UserState, Verification, Expected]>([
    ["a pending code", pending, "SEND_CODE", [code(true)]],
    [
      "no code, to see it",
      person({ phone: { number, isVerified: false } }),
      "RETURN_CODE",
      [code(false)],
    ],
    ["a verified number", verified, "SEND_CODE", "NOTHING_CHANGED"],
    ["no number", none, "SEND_CODE", "PHONE_MISSING"],
    ["a machine", userWith(), "SEND_CODE", "PHONE_MISSING"],
    ["a code of just now", since(pending, now), "SEND_CODE", "CODE_TOO_SOON"],
    ["a code of tomorrow", since(pending, now + 86_400_000), "SEND_CODE", [code(true)]],
  ])("with %s", (_, state, verification, expected) => {
    const input = { ...standing, isSelf: false, code: "sealed NEW", verification };
    expect(outcome(resendPhoneCode({ user: state, caller: manager }, input, now))).toEqual(
      expected,
    );
  });
});

describe("verifyPhone", () => {
  const failed = [{ type: "user.human.phone.verification.failed", payload: {} }];

  test.each<readonly [string, UserState | undefined, boolean, number, readonly object[], boolean]>([
    ["the right code", pending, true, now, [isVerified], true],
    ["a wrong code", pending, false, now, failed, false],
    ["the right code at its end", pending, true, now + 1, [], false],
    ["a wrong code at its end", pending, false, now + 1, [], false],
    ["any code where none is pending", verified, true, now, [], false],
    ["any code without a number", none, true, now, [], false],
    ["any code of a machine", userWith(), true, now, [], false],
    ["any code of a user who is gone", undefined, true, now, [], false],
  ])("with %s", (_, state, opens, nowMs, events, accepted) => {
    const compared: string[] = [];
    const input = {
      ...standing,
      isSelf: true,
      opens(text: string) {
        compared.push(text);
        return opens;
      },
    };
    const decision = verifyPhone({ user: state, caller: state }, input, nowMs);
    expect(decision.events.user ?? []).toEqual(events);
    expect(decision.rejection).toEqual(accepted ? undefined : rejectionFor("CODE_INVALID"));
    // What is compared is an event, and what is an event was compared.
    expect(compared).toEqual(events.length > 0 ? [sealed.code] : []);
  });
});

describe("removePhone", () => {
  test.each<readonly [string, UserState, Expected]>([
    ["a number", pending, [{ type: "user.human.phone.removed", payload: {} }]],
    ["a verified number", verified, [{ type: "user.human.phone.removed", payload: {} }]],
    ["no number", none, "PHONE_MISSING"],
    ["a machine", userWith(), "PHONE_MISSING"],
  ])("with %s", (_, state, expected) => {
    const acting = { user: state, caller: manager };
    expect(outcome(removePhone(acting, { ...standing, isSelf: false }))).toEqual(expected);
  });
});

describe("who may", () => {
  const highPerson = { ...pending, memberships: orgOwner.memberships };
  const elsewhere = holderOf("ORG_OWNER", { level: "organization", organization: "org-b" });
  type Row = readonly [string, UserState | undefined, UserState | undefined, boolean, string];

  // Per row, what each of the six ways comes to; `ok` stands for any outcome of its own.
  const rows: readonly (readonly [...Row, string])[] = [
    ["oneself", pending, pending, true, "ok", "PERMISSION_DENIED"],
    ["oneself, who may write users", highPerson, highPerson, true, "ok", "ok"],
    [
      "oneself, who may write elsewhere",
      person(),
      { ...person(), memberships: elsewhere.memberships },
      true,
      "ok",
      "PERMISSION_DENIED",
    ],
    ["who manages users", pending, manager, false, "ok", "ok"],
    ["who owns the instance", highPerson, owner, false, "ok", "ok"],
    ["who may do nothing", pending, userWith(), false, "PERMISSION_DENIED", "PERMISSION_DENIED"],
    [
      "who may do nothing, to nobody",
      undefined,
      userWith(),
      false,
      "PERMISSION_DENIED",
      "PERMISSION_DENIED",
    ],
    ["who is gone", pending, undefined, false, "PERMISSION_DENIED", "PERMISSION_DENIED"],
    ["who manages users elsewhere", pending, elsewhere, false, "USER_NOT_FOUND", "USER_NOT_FOUND"],
    ["who manages users, to nobody", undefined, manager, false, "USER_NOT_FOUND", "USER_NOT_FOUND"],
    ["who holds less", highPerson, manager, false, "ESCALATION_DENIED", "ESCALATION_DENIED"],
  ];

  test.each(rows)("%s", (_, state, caller, isSelf, plain, privileged) => {
    const acting = { user: state, caller };
    const input = { ...standing, isSelf, code: "c", opens: () => true, phone: other };
    const refusals = ["PERMISSION_DENIED", "USER_NOT_FOUND", "ESCALATION_DENIED"];
    const met = ({ rejection }: ReturnType<typeof removePhone>) =>
      refusals.includes(rejection?.reason ?? "") ? rejection?.reason : "ok";
    expect([
      met(setPhone(acting, { ...input, verification: "SEND_CODE" }, now)),
      met(resendPhoneCode(acting, { ...input, verification: "SEND_CODE" }, now)),
      met(verifyPhone(acting, input, now)),
      met(removePhone(acting, input)),
    ]).toEqual([plain, plain, plain, plain]);
    expect([
      met(setPhone(acting, { ...input, verification: "RETURN_CODE" }, now)),
      met(setPhone(acting, { ...input, verification: "IS_VERIFIED" }, now)),
      met(resendPhoneCode(acting, { ...input, verification: "RETURN_CODE" }, now)),
    ]).toEqual([privileged, privileged, privileged]);
  });
});

describe("the state", () => {
  const envelope = { owner: home, actor: maker, timeMs: now };
  const folded = (events: readonly UserEvent[]) =>
    events.reduce<HumanState | undefined>(
      (state, event) => humanAfter(state, { ...event, ...envelope }),
      pending.human,
    );
  const failed: UserEvent = { type: "user.human.phone.verification.failed", payload: {} };
  const removed: UserEvent = { type: "user.human.phone.removed", payload: {} };
  const failures = (count: number) => Array.from({ length: count }, () => failed);
  const codeAdded: UserEvent = { type: "user.human.phone.code.added", payload: sealed };
  const withCode = (count: number) => ({
    number,
    isVerified: false,
    code: { ...sealed, failures: count },
  });

  test.each<readonly [string, readonly UserEvent[], HumanState["phone"]]>([
    ["counts a failure", failures(1), withCode(1)],
    ["keeps the code until the last failure", failures(codeFailuresMax - 1), withCode(4)],
    ["drops it then", failures(codeFailuresMax), { number, isVerified: false }],
    ["counts no further", failures(codeFailuresMax + 1), { number, isVerified: false }],
    ["counts anew for a new code", [...failures(4), codeAdded], withCode(0)],
    ["drops a code that was used", [isVerified as UserEvent], { number, isVerified: true }],
    [
      "drops the code with its number",
      [changed as UserEvent],
      { number: other, isVerified: false },
    ],
    ["drops the number", [removed], undefined],
  ])("%s", (_, events, phone) => {
    expect(folded(events)?.phone).toEqual(phone);
  });

  test("remembers when the latest code was made, whatever becomes of the number", () => {
    expect(folded([codeAdded, ...failures(5), isVerified as UserEvent, removed])).toMatchObject({
      phoneCodeMs: now,
    });
  });

  test("is not made up where the events before are missing", () => {
    for (const event of [failed, removed, codeAdded]) {
      expect(() => humanAfter(undefined, { ...event, ...envelope })).toThrow("first event");
    }
    expect(() => humanAfter(none.human, { ...failed, ...envelope })).toThrow("first event");
  });
});
