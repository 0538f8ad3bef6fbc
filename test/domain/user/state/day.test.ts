import { describe, expect, test } from "@jest/globals";
import { giveConsent } from "../../../../src/domain/user/login/consent.ts";
import {
  beginSession,
  mayLogInToday,
  reuseToken,
  revokeTokens,
} from "../../../../src/domain/user/login/login.ts";
import { usePasskey } from "../../../../src/domain/user/login/passkey.ts";
import { dayLimits } from "../../../../src/domain/user/state/day.ts";
import type { UserEvent } from "../../../../src/domain/user/state/event.ts";
import type { UserState } from "../../../../src/domain/user/state/user.ts";
import { begun, given, startMs, typesOf } from "../logins.ts";

const row = "a log that one person fills";
const dayMs = 86_400_000;
/** When all of it has happened, and when the first that counts did. */
const nowMs = startMs + 10_000;
const { loginsOfDay, tokensOfDay } = dayLimits;
const times = (count: number, event: UserEvent) => Array.from({ length: count }, () => event);

const reused = { clientId: "app", kind: "code" } as const;
const passkey = { credentialId: "mine", counter: 1 };
/** A person who has a passkey that was used twice. */
const holder: readonly UserEvent[] = [
  {
    type: "user.human.passwordless.token.added",
    payload: {
      ...{ credentialId: "mine", publicKey: "", counter: 0, algorithm: -7, name: "" },
      ...{ codeId: "gone", backedUp: false, backupEligible: false, transports: [] },
    },
  },
  {
    type: "user.human.session.begun",
    payload: {
      ...{ sessionId: "one", clientId: "app", factors: ["passkey"], browser: "b" },
      passkey: { credentialId: "mine", counter: 2 },
    },
  },
];

const tells: readonly (readonly [
  event: UserEvent,
  tell: (state: UserState, nowMs: number) => { events: { user?: readonly UserEvent[] } },
])[] = [
  [
    { type: "user.human.token.reused", payload: reused },
    (state, nowMs) => reuseToken(state, reused, nowMs),
  ],
  [
    { type: "user.human.token.revoked", payload: reused },
    (state, nowMs) => revokeTokens(state, reused, nowMs),
  ],
  [
    { type: "user.human.passwordless.token.refused", payload: passkey },
    (state, nowMs) => usePasskey(state, passkey, nowMs),
  ],
];

const named = tells.map(([event, tell]) => [event.type, event, tell] as const);

describe(`${row}:`, () => {
  test.each(named)("%s is recorded so often in a day", (_type, event, tell) => {
    const sinceMs = startMs + holder.length;
    const last = given(...holder, ...times(tokensOfDay - 1, event));
    expect(typesOf(tell(last, nowMs))).toEqual([event.type]);
    const full = given(...holder, ...times(tokensOfDay, event));
    expect(tell(full, nowMs).events).toEqual({});
    expect(tell(full, sinceMs + dayMs - 1).events).toEqual({});
    expect(typesOf(tell(full, sinceMs + dayMs))).toEqual([event.type]);
    // Each has a bound of its own.
    for (const [other, tellOther] of tells) {
      const isSame = other.type === event.type;
      expect(typesOf(tellOther(full, nowMs))).toEqual(isSame ? [] : [other.type]);
    }
  });

  test("people log in, and let applications act, so often in a day", () => {
    const sinceMs = startMs + 1;
    const session = {
      sessionId: "s",
      clientId: "app",
      factors: ["password"],
      browser: "b",
    } as const;
    const login = (state: UserState, nowMs: number) =>
      beginSession(state, { ...session, userId: "ada" }, nowMs);
    const consent = {
      ...{ userId: "ada", sessionId: "session", clientId: "app", consentId: "new" },
      site: "https://app.example",
    };
    const consented: UserEvent = {
      type: "user.human.consent.given",
      payload: { clientId: "other", consentId: "one" },
    };
    const last = given(
      ...times(loginsOfDay - 1, begun("session")),
      ...times(loginsOfDay - 1, consented),
    );
    expect(mayLogInToday(last, nowMs)).toBe(true);
    expect(typesOf(login(last, nowMs))).toEqual(["user.human.session.begun"]);
    expect(typesOf(giveConsent(last, consent, nowMs))).toEqual(["user.human.consent.given"]);
    const full = given(...times(loginsOfDay, begun("session")), ...times(loginsOfDay, consented));
    expect(mayLogInToday(full, nowMs)).toBe(false);
    expect(login(full, nowMs)).toMatchObject({ events: {}, rejection: expect.anything() });
    expect(giveConsent(full, consent, nowMs)).toMatchObject({
      ...{ events: {}, rejection: expect.anything() },
    });
    expect(typesOf(login(full, sinceMs + dayMs))).toEqual(["user.human.session.begun"]);
    // A lock and its end leave it as it is.
    const unlocked: UserEvent = { type: "user.human.unlocked", payload: {} };
    expect(mayLogInToday(given(...times(loginsOfDay, begun("session")), unlocked), nowMs)).toBe(
      false,
    );
  });
});
