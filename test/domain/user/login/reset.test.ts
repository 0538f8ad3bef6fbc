import { describe, expect, test } from "@jest/globals";
import { askToTell } from "../../../../src/domain/logout.ts";
import {
  askForReset,
  opensReset,
  resetPassword,
  resetsOf,
} from "../../../../src/domain/user/login/reset.ts";
import { credentialsOf, pendingCodesOf } from "../../../../src/domain/user/state/credential.ts";
import type { UserEvent } from "../../../../src/domain/user/state/event.ts";
import { codeLifetimesMs } from "../../../../src/domain/user/state/human-state.ts";
import { type UserState, user } from "../../../../src/domain/user/state/user.ts";
import { person } from "../people.ts";

const nowMs = 1_800_000_000_000;
const ready = { isEmailVerified: true, passwordHash: "$old$" };
const shown = { opens: (code: string) => code === "sealed" };
const wrong = { opens: () => false };

function evolved(state: UserState, ...events: readonly UserEvent[]): UserState {
  const envelope = { position: 1n, stream: "user-u", version: 1, owner: "o", actor: "u" };
  let now: UserState | undefined = state;
  for (const event of events) now = user.evolve(now, { ...envelope, timeMs: nowMs, ...event });
  if (now === undefined) throw new Error("the user is gone");
  return now;
}

const asked = (state: UserState) =>
  evolved(state, ...(askForReset(state, "sealed", nowMs).events.user ?? []));

describe("a mail to replace the password", () => {
  test("is asked for by a person who has one, at a verified address", () => {
    expect(askForReset(person(ready), "sealed", nowMs).events).toEqual({
      user: [
        {
          type: "user.human.password.code.added",
          payload: { code: "sealed", expirationMs: nowMs + codeLifetimesMs.password },
        },
      ],
    });
  });

  test.each<readonly [string, UserState | undefined]>([
    ["nobody", undefined],
    ["a person without a password", person({ isEmailVerified: true })],
    ["one whose address nobody has verified", person({ passwordHash: "$old$" })],
    [
      "one who has yet to take the account over",
      person({ ...ready, initialization: { code: "c", failures: 0, maker: "m" } }),
    ],
    ["one who is out of use", { ...person(ready), isInactive: true }],
  ])("is not for %s", (_, state) => {
    expect(askForReset(state, "sealed", nowMs)).toEqual({ events: {} });
    expect(opensReset(state, shown, nowMs)).toBe(false);
  });

  test("lets nobody in by itself, and its code is one that is pending", () => {
    const state = asked(person(ready));
    expect(credentialsOf(state, nowMs)).toEqual(credentialsOf(person(ready), nowMs));
    expect(pendingCodesOf(state, nowMs)).toMatchObject([{ code: "sealed" }]);
    expect(pendingCodesOf(state, nowMs + codeLifetimesMs.password)).toEqual([]);
  });
});

describe("its code", () => {
  const passwordHash = "$new$";

  test("replaces the password, and ends all that came from logins", () => {
    const session = { sessionId: "s", clientId: "c", factors: ["password"], browser: "b" } as const;
    const state = evolved(
      asked(person({ ...ready, passwordChangeRequired: true, otpSecret: "otp" })),
      { type: "user.human.session.begun", payload: session },
      { type: "user.human.session.joined", payload: { sessionId: "s", clientId: "c" } },
      { type: "user.human.otp.used", payload: { step: 7 } },
      { type: "user.human.login.failed", payload: { factor: "password" } },
      { type: "user.human.locked", payload: { untilMs: nowMs + 1 } },
    );
    const { events } = resetPassword(state, { ...shown, userId: "user", passwordHash }, nowMs);
    expect(events).toEqual({
      user: [
        { type: "user.human.password.reset", payload: { passwordHash } },
        { type: "user.human.notice.added", payload: { about: "password.changed" } },
      ],
      logouts: [askToTell({ userId: "user", sessionId: "s", told: ["c"] })],
    });
    const { human } = evolved(state, ...(events.user ?? []));
    expect(human).toMatchObject({ passwordHash, passwordChangeRequired: false, otpSecret: "otp" });
    expect(human).not.toHaveProperty("passwordCode");
    expect(human?.login).toEqual({
      ...{ failures: 0, sinceMs: nowMs, otpStep: 7, sessions: [], browsers: [], resets: 1 },
      consents: [],
      // No browser is known any more, so nothing counts since then.
      knownSinceMs: nowMs,
      day: { sinceMs: nowMs, counts: { "user.human.session.begun": 1 } },
    });
    expect([resetsOf(undefined), resetsOf(state), human?.login?.resets]).toEqual([0, 0, 1]);
  });

  test("counts until it ends, and a wrong one changes nothing", () => {
    const state = asked(person(ready));
    const endMs = nowMs + codeLifetimesMs.password;
    expect(opensReset(state, shown, endMs - 1)).toBe(true);
    for (const [code, atMs] of [
      [shown, endMs],
      [wrong, nowMs],
    ] as const) {
      expect(opensReset(state, code, atMs)).toBe(false);
      expect(resetPassword(state, { ...code, userId: "user", passwordHash }, atMs)).toMatchObject({
        ...{ events: {}, rejection: { reason: "CODE_INVALID" } },
      });
    }
  });

  test.each<UserEvent>([
    { type: "user.human.email.changed", payload: { email: "b@example.com" } },
    { type: "user.human.password.changed", payload: { passwordHash } },
    { type: "user.credentials.voided", payload: { voided: [] } },
  ])("is void after $type", (event) => {
    const state = evolved(asked(person(ready)), event);
    expect(state.human).not.toHaveProperty("passwordCode");
    expect(opensReset(state, shown, nowMs)).toBe(false);
  });

  test("outlasts the same password by another hash", () => {
    const event = { type: "user.human.password.rehashed", payload: { passwordHash } } as const;
    expect(opensReset(evolved(asked(person(ready)), event), shown, nowMs)).toBe(true);
  });
});
