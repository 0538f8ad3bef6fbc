import { describe, expect, test } from "@jest/globals";
import {
  evolveLogin,
  isLocked,
  type LoginEvent,
  type LoginState,
  loginLimits,
} from "../../src/domain/user/login-state.ts";

const { failures, lockedMs } = loginLimits;
const startMs = 1_800_000_000_000;

/** What is remembered after events, one each millisecond from the start on. */
const loginAfter = (...events: readonly LoginEvent[]) =>
  events.reduce<LoginState | undefined>(
    (login, event, i) =>
      evolveLogin(login, { ...event, owner: "org", actor: "ada", timeMs: startMs + i }),
    undefined,
  );

const begun = (browser: string, factor: "password" | "passkey" = "password"): LoginEvent => ({
  type: "user.human.session.begun",
  payload: { sessionId: `in ${browser}`, clientId: "app", factors: [factor], browser },
});
const failed: LoginEvent = { type: "user.human.login.failed", payload: { factor: "password" } };
const locked: LoginEvent = { type: "user.human.locked", payload: { untilMs: startMs + lockedMs } };

describe("a lock that goes on", () => {
  test.each([
    ["in a known browser", begun("mine")],
    ["with a passkey", begun("other", "passkey")],
  ])("when the person has logged in %s", (_, login) => {
    const state = loginAfter(begun("mine"), locked, login);
    expect(isLocked(state, startMs + lockedMs - 1)).toBe(true);
    expect(isLocked(state, startMs + lockedMs)).toBe(false);
  });

  test("but is over where somebody got in whom it would have stopped", () => {
    expect(isLocked(loginAfter(locked, begun("new")), startMs + 1)).toBe(false);
  });
});

test("the tries of strangers are counted on when the person logs in, and its own anew", () => {
  const wrong = Array.from({ length: failures - 1 }, () => failed);
  const state = loginAfter(begun("mine"), ...wrong, begun("mine"));
  const knownSinceMs = startMs + failures;
  expect(state).toMatchObject({ failures: 0, sinceMs: startMs, knownSinceMs });
});
