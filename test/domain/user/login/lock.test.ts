import { describe, expect, test } from "@jest/globals";
import type { LoginEvent } from "../../../../src/domain/user/state/login-event.ts";
import { loginLimits } from "../../../../src/domain/user/state/login-limits.ts";
import {
  evolveLogin,
  type HumanState,
  isLocked,
  type LoginState,
} from "../../../../src/domain/user/state/login-state.ts";
import { sortableTime } from "../../../../src/domain/user/state/sortable-time.ts";
import { lockedUntil, user } from "../../../../src/domain/user/state/user.ts";
import { person } from "../people.ts";

const { failures, lockedMs } = loginLimits;
const startMs = 1_800_000_000_000;

/** What is remembered after events, one each millisecond from the start on. */
const loginAfter = (...events: readonly LoginEvent[]) =>
  events.reduce<HumanState>(
    (human, event, i) =>
      evolveLogin(human, { ...event, owner: "org", actor: "ada", timeMs: startMs + i }),
    person().human,
  ).login;

const begun = (browser: string, factor: "password" | "passkey" = "password"): LoginEvent => ({
  type: "user.human.session.begun",
  payload: { sessionId: `in ${browser}`, clientId: "app", factors: [factor], browser },
});
const failed: LoginEvent = { type: "user.human.login.failed", payload: { factor: "password" } };
const locked: LoginEvent = { type: "user.human.locked", payload: { untilMs: startMs + lockedMs } };

const unlocked: LoginEvent = { type: "user.human.unlocked", payload: {} };

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

test("a lock is in the row of the person while the state has it, and reads until its end", () => {
  const human = (login: LoginState | undefined) => ({ ...person().human, ...(login && { login }) });
  const state = (login: LoginState | undefined) => ({ ...person(), human: human(login) });
  const endMs = startMs + lockedMs;
  const shut = state(loginAfter(locked));
  expect(user.row(shut).fields).toMatchObject({ state: "ACTIVE", lockedUntil: `000${endMs}` });
  expect(lockedUntil(shut, endMs - 1)).toBe(endMs);
  expect(lockedUntil(shut, endMs)).toBeUndefined();
  expect(lockedUntil({ ...shut, isInactive: true }, startMs)).toBeUndefined();
  for (const login of [undefined, loginAfter(failed), loginAfter(locked, begun("new"))]) {
    expect(user.row(state(login)).fields).not.toHaveProperty("lockedUntil");
    expect(lockedUntil(state(login), startMs)).toBeUndefined();
  }
  expect([2_000, 999, endMs, 1e15].map(sortableTime).toSorted()).toEqual(
    [999, 2_000, endMs, 1e15].map(sortableTime),
  );
});

test.each([
  ["a lock keeps the count", locked, startMs],
  ["the end of a lock by somebody begins another", unlocked, startMs + failures + 1],
])("passwords guessed at once: of the tries of known browsers %s", (_, event, knownSinceMs) => {
  const wrong = Array.from({ length: failures }, () => failed);
  const state = loginAfter(begun("mine"), ...wrong, event);
  expect(state).toMatchObject({ failures: 0, sinceMs: startMs + failures + 1, knownSinceMs });
});

test("the tries of strangers are counted on when the person logs in, and its own anew", () => {
  const wrong = Array.from({ length: failures - 1 }, () => failed);
  const state = loginAfter(begun("mine"), ...wrong, begun("mine"));
  const knownSinceMs = startMs + failures;
  expect(state).toMatchObject({ failures: 0, sinceMs: startMs, knownSinceMs });
});
