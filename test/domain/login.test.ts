import { describe, expect, test } from "@jest/globals";
import type { UserDecision } from "../../src/domain/user/acting.ts";
import {
  beginSession,
  changeOwnPassword,
  endSession,
  failLogin,
  findLogin,
  hasSession,
  rehashPassword,
  reuseToken,
  useOTP,
} from "../../src/domain/user/login.ts";
import { loginLimits } from "../../src/domain/user/login-state.ts";
import { type UserEvent, type UserState, user } from "../../src/domain/user/user.ts";

const { failures, lockedMs, sessions, sessionMs, browsers } = loginLimits;
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

describe("a session", () => {
  const session = {
    sessionId: "one",
    clientId: "app",
    factors: ["password"],
    browser: "b",
  } as const;

  test("begins, goes on and ends", () => {
    expect(typesOf(beginSession(given(), session))).toEqual(["user.human.session.begun"]);
    const state = given(begun("one"), begun("two"), begun("one"));
    expect(state.human?.login?.sessions.map(({ sessionId }) => sessionId)).toEqual(["two", "one"]);
    expect(hasSession(state, "one")).toBe(true);
    expect(typesOf(endSession(state, session))).toEqual(["user.human.session.ended"]);
    const { sessionId } = session;
    const ended = given(begun("one"), { type: "user.human.session.ended", payload: { sessionId } });
    expect(hasSession(ended, "one")).toBe(false);
    expect(endSession(ended, session)).toEqual({ events: {} });
  });

  test("is none of somebody who is out of use or gone", () => {
    const rejection = expect.objectContaining({ reason: "UNAUTHENTICATED" });
    for (const state of [given(begun("one"), deactivated), undefined]) {
      expect(beginSession(state, session)).toEqual({ events: {}, rejection });
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

test("a token that came twice is recorded, and changes nothing of the person", () => {
  const reused = { clientId: "app", kind: "refresh" } as const;
  expect(typesOf(reuseToken(given(), reused))).toEqual(["user.human.token.reused"]);
  expect(reuseToken(undefined, reused)).toEqual({ events: {} });
});
