import { describe, expect, test } from "@jest/globals";
import {
  beginSession,
  failLogin,
  findLogin,
  reuseToken,
  revokeTokens,
} from "../../../../src/domain/user/login/login.ts";
import { useOTP } from "../../../../src/domain/user/login/otp.ts";
import { usePasskey } from "../../../../src/domain/user/login/passkey.ts";
import { changeOwnPassword, rehashPassword } from "../../../../src/domain/user/login/password.ts";
import type { UserEvent } from "../../../../src/domain/user/state/event.ts";
import { loginLimits } from "../../../../src/domain/user/state/login-limits.ts";
import { hasEnded } from "../../../../src/domain/user/state/session.ts";
import type { UserState } from "../../../../src/domain/user/state/user.ts";
import { begun, deactivated, given, startMs, typesOf } from "../logins.ts";

const { failures, lockedMs, browsers, endedGrants } = loginLimits;

const failed: UserEvent = { type: "user.human.login.failed", payload: { factor: "password" } };
const locked: UserEvent = {
  type: "user.human.locked",
  payload: { untilMs: startMs + lockedMs },
};
const times = (count: number, event: UserEvent) => Array.from({ length: count }, () => event);

describe("a failed login", () => {
  test("is recorded, and the last one that is allowed locks the person out", () => {
    const before = given(...times(failures - 2, failed));
    expect(typesOf(failLogin(before, { factor: "password" }, startMs))).toEqual([
      "user.human.login.failed",
    ]);
    const last = given(...times(failures - 1, failed));
    expect(failLogin(last, { factor: "otp" }, startMs).events.user).toEqual([
      { type: "user.human.login.failed", payload: { factor: "otp" } },
      { type: "user.human.locked", payload: { untilMs: startMs + lockedMs } },
    ]);
  });

  test("is recorded with the network alone, where one is given, and so is the lock", () => {
    const where = { network: "192.0.2.0/24" };
    const last = given(...times(failures - 1, failed));
    expect(failLogin(last, { factor: "otp", ...where }, startMs).events.user).toEqual([
      { type: "user.human.login.failed", payload: { factor: "otp", ...where } },
      { type: "user.human.locked", payload: { untilMs: startMs + lockedMs, ...where } },
    ]);
  });

  test("is recorded neither while the person is locked out, nor of others", () => {
    expect(failLogin(given(locked), { factor: "password" }, startMs + lockedMs - 1)).toEqual({
      events: {},
    });
    expect(
      typesOf(failLogin(given(locked), { factor: "password" }, startMs + lockedMs)),
    ).toHaveLength(1);
    expect(failLogin(given(deactivated), { factor: "password" }, startMs)).toEqual({ events: {} });
    expect(failLogin(undefined, { factor: "password" }, startMs)).toEqual({ events: {} });
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
    const decision = usePasskey(state, shown(after), startMs);
    expect(decision.rejection === undefined).toBe(isTaken);
    expect(typesOf(decision)).toEqual(isTaken ? [] : ["user.human.passwordless.token.refused"]);
    const session = { sessionId: "two", clientId: "app", browser: "b", passkey: shown(after) };
    const begin = { userId: "ada", ...session, factors: ["passkey"] } as const;
    expect(beginSession(state, begin, startMs).rejection === undefined).toBe(isTaken);
  });

  test("logs nobody in who is out of use, nor anybody else", () => {
    for (const state of [undefined, given(), given(made, deactivated)]) {
      expect(usePasskey(state, shown(1), startMs).rejection?.reason).toBe("UNAUTHENTICATED");
      expect(usePasskey(state, shown(1), startMs).events).toEqual({});
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

describe("a one-time code", () => {
  const secret: UserEvent = { type: "user.human.otp.added", payload: { secret: "sealed" } };
  const used: UserEvent = { type: "user.human.otp.used", payload: { step: 7 } };

  test("is valid once, and none before it any more", () => {
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

describe("a token that came twice or was given back", () => {
  const reused = { clientId: "app", kind: "refresh" } as const;

  test("is recorded", () => {
    expect(typesOf(reuseToken(given(), reused, startMs))).toEqual(["user.human.token.reused"]);
    expect(typesOf(revokeTokens(given(), reused, startMs))).toEqual(["user.human.token.revoked"]);
    for (const tell of [reuseToken, revokeTokens])
      expect(tell(undefined, reused, startMs)).toEqual({ events: {} });
  });

  test("has its grant remembered as ended, and events of before have none", () => {
    const ended = (type: "reused" | "revoked", grant?: string): UserEvent => ({
      type: `user.human.token.${type}`,
      payload: { ...reused, ...(grant === undefined ? {} : { grant }) },
    });
    const before = given(ended("reused"), ended("revoked"));
    expect(before.human?.login).not.toHaveProperty("endedGrants");
    const after = given(ended("reused", "1"), ended("revoked", "2"));
    expect(["1", "2", "3"].map((grant) => hasEnded(after, grant))).toEqual([true, true, false]);
    const most = Array.from({ length: endedGrants }, (_, i) => ended("reused", `${i}`));
    expect(hasEnded(given(...most), "0")).toBe(true);
    const oneMore = given(...most, ended("reused", "last"));
    expect(["0", "1", "last"].map((one) => hasEnded(oneMore, one))).toEqual([false, true, true]);
    const reset = given(...most, {
      type: "user.human.password.reset",
      payload: { passwordHash: "2" },
    });
    expect(reset.human?.login).not.toHaveProperty("endedGrants");
  });
});
