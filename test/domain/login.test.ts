import { describe, expect, test } from "@jest/globals";
import type { UserDecision } from "../../src/domain/user/acting.ts";
import {
  beginSession,
  changeOwnPassword,
  endAll,
  endSessions,
  failLogin,
  findLogin,
  hasSession,
  joinSession,
  rehashPassword,
  reuseToken,
  revokeTokens,
  sessionsOf,
  useOTP,
  usePasskey,
} from "../../src/domain/user/login.ts";
import { loginLimits } from "../../src/domain/user/login-state.ts";
import { type UserEvent, type UserState, user } from "../../src/domain/user/user.ts";

const { failures, lockedMs, sessions, sessionMs, browsers, told } = loginLimits;
const startMs = 1_800_000_000_000;

const added: UserEvent = {
  type: "user.human.added",
  payload: {
    ...{ userName: "ada", firstName: "Ada", lastName: "L", nickName: "", displayName: "Ada" },
    ...{ preferredLanguage: "", gender: "UNSPECIFIED", email: "ada@example.com" },
    ...{ passwordHash: "hash", passwordChangeRequired: true },
  },
};

/** The person after events, one each millisecond from the start on. */
function given(...events: readonly UserEvent[]): UserState {
  const state = [added, ...events].reduce<UserState | undefined>(
    (before, event, i) =>
      user.evolve(before, { ...event, owner: "org", actor: "ada", timeMs: startMs + i }),
    undefined,
  );
  if (state === undefined) throw new Error("the person is gone");
  return state;
}

const begun = (sessionId: string, browser = "mine"): UserEvent => ({
  type: "user.human.session.begun",
  payload: { sessionId, clientId: "app", factors: ["password"], browser },
});
const failed: UserEvent = { type: "user.human.login.failed", payload: { factor: "password" } };
const locked: UserEvent = {
  type: "user.human.locked",
  payload: { untilMs: startMs + lockedMs },
};
const deactivated: UserEvent = { type: "user.deactivated", payload: {} };
const times = (count: number, event: UserEvent) => Array.from({ length: count }, () => event);
const typesOf = ({ events }: UserDecision) => (events.user ?? []).map(({ type }) => type);

describe("a failed login", () => {
  test("is recorded, and the last one that is allowed locks the person out", () => {
    const before = given(...times(failures - 2, failed));
    expect(typesOf(failLogin(before, "password", startMs))).toEqual(["user.human.login.failed"]);
    const last = given(...times(failures - 1, failed));
    expect(failLogin(last, "otp", startMs).events.user).toEqual([
      { type: "user.human.login.failed", payload: { factor: "otp" } },
      { type: "user.human.locked", payload: { untilMs: startMs + lockedMs } },
    ]);
  });

  test("is recorded neither while the person is locked out, nor of others", () => {
    expect(failLogin(given(locked), "password", startMs + lockedMs - 1)).toEqual({ events: {} });
    expect(typesOf(failLogin(given(locked), "password", startMs + lockedMs))).toHaveLength(1);
    expect(failLogin(given(deactivated), "password", startMs)).toEqual({ events: {} });
    expect(failLogin(undefined, "password", startMs)).toEqual({ events: {} });
  });

  test("counts no more after a login, a lock or its end", () => {
    const unlocked: UserEvent = { type: "user.human.unlocked", payload: {} };
    for (const event of [begun("one"), locked, unlocked]) {
      const { login } = given(...times(failures - 1, failed), event).human!;
      expect(login).toMatchObject({ failures: 0, sinceMs: startMs + failures });
    }
  });
});

describe("a lock", () => {
  test("keeps unknown browsers out until it ends, and no known one", () => {
    const state = given(begun("one"), locked);
    const during = startMs + lockedMs - 1;
    expect(findLogin(state, {}, during)).toBeUndefined();
    expect(findLogin(state, { browser: "other" }, during)).toBeUndefined();
    expect(findLogin(state, { browser: "mine" }, during)).toBe(state.human);
    expect(findLogin(state, {}, during + 1)).toBe(state.human);
  });

  test("is not what keeps out who is out of use", () => {
    expect(findLogin(given(begun("one"), deactivated), { browser: "mine" }, 0)).toBeUndefined();
  });

  test(`knows the last ${browsers} browsers`, () => {
    const logins = Array.from({ length: browsers + 1 }, (_, i) => begun(`${i}`, `browser ${i}`));
    const during = startMs + lockedMs - 1;
    const knows = (state: UserState, browser: string) =>
      findLogin(state, { browser }, during) !== undefined;
    const all = given(...logins.slice(0, browsers), locked);
    expect(knows(all, "browser 0")).toBe(true);
    const more = given(...logins, locked);
    expect([knows(more, "browser 0"), knows(more, "browser 1")]).toEqual([false, true]);
  });
});

describe("a passkey", () => {
  const made: UserEvent = {
    type: "user.human.passwordless.token.added",
    payload: {
      ...{ codeId: "link", credentialId: "mine", publicKey: "key", counter: 0 },
      ...{ transports: [], name: "" },
    },
  };
  const shown = (counter: number) => ({ credentialId: "mine", counter });
  const login = (counter: number): UserEvent => ({
    type: "user.human.session.begun",
    payload: {
      ...{ sessionId: "one", clientId: "app", factors: ["passkey"], browser: "b" },
      passkey: shown(counter),
    },
  });

  test.each([
    [0, 0, true],
    [0, 1, true],
    [7, 8, true],
    [7, 7, false],
    [7, 6, false],
    [7, 0, false],
  ])("that has said %i says %i, and is taken: %s", (before, after, isTaken) => {
    const state = given(made, login(before));
    const decision = usePasskey(state, shown(after));
    expect(decision.rejection === undefined).toBe(isTaken);
    expect(typesOf(decision)).toEqual(isTaken ? [] : ["user.human.passwordless.token.refused"]);
    const session = { sessionId: "two", clientId: "app", browser: "b", passkey: shown(after) };
    const begin = { userId: "ada", ...session, factors: ["passkey"] } as const;
    expect(beginSession(state, begin, startMs).rejection === undefined).toBe(isTaken);
  });

  test("logs nobody in who is out of use, nor anybody else", () => {
    for (const state of [undefined, given(), given(made, deactivated)]) {
      expect(usePasskey(state, shown(1)).rejection?.reason).toBe("UNAUTHENTICATED");
      expect(usePasskey(state, shown(1)).events).toEqual({});
    }
  });

  test("is not kept with the session", () => {
    const { login: kept, passkeys } = given(made, login(3)).human ?? {};
    expect(passkeys).toMatchObject([{ credentialId: "mine", counter: 3 }]);
    expect(kept?.sessions).toEqual([
      { sessionId: "one", clientId: "app", factors: ["passkey"], begunMs: startMs + 2 },
    ]);
  });
});

describe("a session", () => {
  const session = {
    ...{ userId: "ada", sessionId: "one" },
    clientId: "app",
    factors: ["password"],
    browser: "b",
  } as const;
  const ending = { userId: "me", sessionIds: ["one"] };

  test("is listed until it has ended, the latest login first", () => {
    const state = given(begun("one"), begun("two"));
    const listed = (nowMs: number, of = state) =>
      sessionsOf(of, nowMs).map(({ sessionId }) => sessionId);
    expect(listed(startMs + sessionMs)).toEqual(["two", "one"]);
    expect(listed(startMs + sessionMs + 1)).toEqual(["two"]);
    expect(listed(startMs, given(begun("one"), deactivated))).toEqual([]);
    expect(sessionsOf(undefined, startMs)).toEqual([]);
  });

  test("ends with others that are named, each once", () => {
    const state = given(begun("one"), begun("two"), begun("three"));
    const sessionIds = ["one", "three", "of somebody else"];
    expect(endSessions(state, { userId: "ada", sessionIds }).events.user).toEqual([
      { type: "user.human.session.ended", payload: { sessionId: "one" } },
      { type: "user.human.session.ended", payload: { sessionId: "three" } },
    ]);
  });

  test("begins, goes on and ends", () => {
    expect(typesOf(beginSession(given(), session, startMs))).toEqual(["user.human.session.begun"]);
    const state = given(begun("one"), begun("two"), begun("one"));
    expect(state.human?.login?.sessions.map(({ sessionId }) => sessionId)).toEqual(["two", "one"]);
    expect(hasSession(state, "one")).toBe(true);
    expect(typesOf(endSessions(state, ending))).toEqual(["user.human.session.ended"]);
    const { sessionId } = session;
    const ended = given(begun("one"), { type: "user.human.session.ended", payload: { sessionId } });
    expect(hasSession(ended, "one")).toBe(false);
    expect(endSessions(ended, ending)).toEqual({ events: {} });
  });

  test("tells the applications that want to know when it has ended, each once", () => {
    const joined = (sessionId: string, clientId: string) =>
      ({ type: "user.human.session.joined", payload: { sessionId, clientId } }) as const;
    expect(joinSession(given(begun("one")), joined("one", "a").payload).events.user).toEqual([
      joined("one", "a"),
    ]);
    const state = given(begun("one"), joined("one", "a"), begun("two"), joined("two", "b"));
    expect(joinSession(state, joined("one", "a").payload)).toEqual({ events: {} });
    expect(joinSession(state, joined("none", "a").payload)).toEqual({ events: {} });
    // Somebody who logs in again has not left.
    const again = given(begun("one"), joined("one", "a"), begun("one"));
    const asked = (ended: readonly object[]) => [
      { type: "logout.asked", payload: { userId: "me", ended } },
    ];
    const ofOne = asked([{ sessionId: "one", clientId: "a" }]);
    expect(endSessions(again, ending).events.logout).toEqual(ofOne);
    expect(endSessions(state, ending).events.logout).toEqual(ofOne);
    const all = asked([
      { sessionId: "one", clientId: "a" },
      { sessionId: "two", clientId: "b" },
    ]);
    expect(endAll("me", state).logout).toEqual(all);
    expect(endSessions(given(begun("one")), ending).events.logout).toEqual([]);
    const many = Array.from({ length: told }, (_, i) => joined("one", `${i}`));
    const before = given(begun("one"), ...many.slice(1));
    expect(joinSession(before, joined("one", "x").payload).events.user).toHaveLength(1);
    const full = given(begun("one"), ...many);
    expect(joinSession(full, joined("one", "x").payload)).toEqual({ events: {} });
  });

  test("is none of somebody who is out of use or gone", () => {
    const rejection = expect.objectContaining({ reason: "UNAUTHENTICATED" });
    for (const state of [given(begun("one"), deactivated), undefined]) {
      expect(beginSession(state, session, startMs)).toEqual({ events: {}, rejection });
      expect(hasSession(state, "one")).toBe(false);
    }
  });

  test(`is one of at most ${sessions}`, () => {
    const many = Array.from({ length: sessions + 1 }, (_, i) => begun(`${i}`));
    const all = given(...many.slice(0, sessions));
    expect(hasSession(all, "0")).toBe(true);
    const more = given(...many);
    expect([hasSession(more, "0"), hasSession(more, "1")]).toEqual([false, true]);
  });

  test("is forgotten by the next one once its time is over", () => {
    const state = given(begun("one"));
    const at = (timeMs: number) =>
      user.evolve(state, { ...begun("two"), owner: "org", actor: "ada", timeMs });
    const begunMs = startMs + 1;
    expect(hasSession(at(begunMs + sessionMs - 1), "one")).toBe(true);
    expect(hasSession(at(begunMs + sessionMs), "one")).toBe(false);
  });
});

describe("a one-time code", () => {
  const secret: UserEvent = { type: "user.human.otp.added", payload: { secret: "sealed" } };
  const used: UserEvent = { type: "user.human.otp.used", payload: { step: 7 } };

  test("is good once, and none before it any more", () => {
    expect(typesOf(useOTP(given(secret), 7))).toEqual(["user.human.otp.used"]);
    for (const step of [6, 7]) {
      expect(useOTP(given(secret, used), step).rejection?.reason).toBe("UNAUTHENTICATED");
    }
    expect(typesOf(useOTP(given(secret, used), 8))).toEqual(["user.human.otp.used"]);
    expect(useOTP(given(), 8).rejection?.reason).toBe("UNAUTHENTICATED");
    expect(useOTP(given(secret, deactivated), 8).rejection?.reason).toBe("UNAUTHENTICATED");
  });
});

describe("a password", () => {
  test("is hashed anew, or replaced by another one, unless another was set meanwhile", () => {
    const [right, stale] = [
      { from: "hash", to: "new" },
      { from: "older", to: "new" },
    ];
    expect(typesOf(rehashPassword(given(), right))).toEqual(["user.human.password.rehashed"]);
    expect(rehashPassword(given(), stale)).toEqual({ events: {} });
    expect(typesOf(changeOwnPassword(given(), right))).toEqual(["user.human.password.changed"]);
    expect(changeOwnPassword(given(), stale).rejection?.reason).toBe("UNAUTHENTICATED");
    const rehashed = given({
      type: "user.human.password.rehashed",
      payload: { passwordHash: "2" },
    });
    expect(rehashed.human).toMatchObject({
      passwordHash: "2",
      passwordChangedMs: startMs,
      passwordChangeRequired: true,
    });
  });
});

test("a token that came twice or was given back is recorded, and changes nothing else", () => {
  const reused = { clientId: "app", kind: "refresh" } as const;
  expect(typesOf(reuseToken(given(), reused))).toEqual(["user.human.token.reused"]);
  expect(typesOf(revokeTokens(given(), reused))).toEqual(["user.human.token.revoked"]);
  for (const tell of [reuseToken, revokeTokens])
    expect(tell(undefined, reused)).toEqual({ events: {} });
});
