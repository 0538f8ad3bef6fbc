import { describe, expect, test } from "@jest/globals";
import { failLogin } from "../../../../src/domain/user/login/login.ts";
import type { UserEvent } from "../../../../src/domain/user/state/event.ts";
import type { Factor } from "../../../../src/domain/user/state/factor.ts";
import { loginLimits } from "../../../../src/domain/user/state/login-limits.ts";
import { given, startMs } from "../logins.ts";

const row = "one-time codes guessed on and on";
const { failures, lockedMs, lockedMsMax } = loginLimits;

const failed = (factor: Factor): UserEvent => ({
  type: "user.human.login.failed",
  payload: { factor },
});
const locked: UserEvent = { type: "user.human.locked", payload: { untilMs: 0 } };
const begun = (factors: readonly Factor[], browser: string): UserEvent => ({
  type: "user.human.session.begun",
  payload: { sessionId: `in ${browser}`, clientId: "app", factors, browser },
});

/** So many tries that were wrong in a row, with a lock after each that is one too many. */
const tries = (count: number, factor: Factor = "otp") =>
  Array.from({ length: count }, (_, i) =>
    (i + 1) % failures === 0 ? [failed(factor), locked] : [failed(factor)],
  ).flat();

/** The milliseconds of the lock that the next wrong one leads to; none where it leads to none. */
function lockAfter(events: readonly UserEvent[], factor: Factor = "otp"): readonly number[] {
  const decision = failLogin(given(...events), { factor }, startMs);
  return (decision.events.user ?? []).flatMap((event) =>
    event.type === "user.human.locked" ? [event.payload.untilMs - startMs] : [],
  );
}

describe(`${row}:`, () => {
  test("each ten lock for twice as long, up to a day", () => {
    const locks = Array.from({ length: 9 }, (_, i) => lockAfter(tries((i + 1) * failures - 1)));
    const doubled = [1, 2, 4, 8, 16, 32, 64].map((times) => [times * lockedMs]);
    expect(locks).toEqual([...doubled, [lockedMsMax], [lockedMsMax]]);
    expect(lockAfter(tries(failures - 2))).toEqual([]);
    // A wrong password in the place of the last one is no way around it.
    expect(lockAfter(tries(4 * failures - 1), "password")).toEqual([4 * lockedMs]);
    expect(lockAfter(tries(4 * failures - 1, "password"), "password")).toEqual([lockedMs]);
  });

  test.each<readonly [what: string, event: UserEvent, times: number]>([
    ["somebody gets in with one in a new browser", begun(["password", "otp"], "new"), 1],
    ["the person gets in with a known browser", begun(["password", "otp"], "mine"), 4],
    ["somebody gets in without one", begun(["password"], "new"), 4],
    ["an administrator ends the lock", { type: "user.human.unlocked", payload: {} }, 1],
    [
      "the password is replaced",
      { type: "user.human.password.reset", payload: { passwordHash: "" } },
      1,
    ],
  ])("what counts when %s", (_what, event, times) => {
    const first = begun(["password", "otp"], "mine");
    const events = [first, ...tries(2 * failures), event, ...tries(failures - 1)];
    expect(lockAfter(events)).toEqual([times * lockedMs]);
  });
});
