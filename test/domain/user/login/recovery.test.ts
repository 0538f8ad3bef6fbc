import { describe, expect, test } from "@jest/globals";
import { forgottenTypes } from "../../../../src/domain/user/login/forget.ts";
import { failLogin } from "../../../../src/domain/user/login/login.ts";
import { useRecoveryCode } from "../../../../src/domain/user/login/recovery.ts";
import type { UserEvent } from "../../../../src/domain/user/state/event.ts";
import { loginLimits } from "../../../../src/domain/user/state/login-limits.ts";
import { recoveryLimits } from "../../../../src/domain/user/state/recovery.ts";
import { deactivated, given, startMs, typesOf } from "../logins.ts";

const row = "a recovery code as a back door";

const app: UserEvent = { type: "user.human.otp.added", payload: { secret: "sealed" } };
const set = (...hashes: readonly string[]): UserEvent => {
  return { type: "user.human.recovery_codes.set", payload: { hashes } };
};
const used = (hash: string): UserEvent => {
  return { type: "user.human.recovery_code.used", payload: { hash } };
};
const showing = (code: string) => ({ opens: (stored: string) => stored === code });
const failed = (factor: "otp" | "recovery"): UserEvent => {
  return { type: "user.human.login.failed", payload: { factor } };
};
const wrong = (count: number, factor: "otp" | "recovery" = "recovery") =>
  Array.from({ length: count }, () => failed(factor));

describe(`${row}: a recovery code`, () => {
  test("is used once, and the others stay", () => {
    const before = given(app, set("a", "b", "c"));
    expect(useRecoveryCode(before, showing("b")).events.user).toEqual([used("b")]);
    const after = given(app, set("a", "b", "c"), used("b"));
    expect(after.human?.recoveryCodes).toEqual(["a", "c"]);
    expect(useRecoveryCode(after, showing("b"))).toEqual({
      events: {},
      rejection: expect.objectContaining({ reason: "UNAUTHENTICATED" }),
    });
    expect(typesOf(useRecoveryCode(after, showing("c")))).toEqual([used("c").type]);
  });

  test("is compared with each that is left, whichever it is", () => {
    const compared: string[] = [];
    const opens = (stored: string) => compared.push(stored) === 1;
    useRecoveryCode(given(app, set("a", "b", "c")), { opens });
    expect(compared).toEqual(["a", "b", "c"]);
  });

  test.each([
    ["nobody", undefined],
    ["somebody without any", given(app)],
    ["somebody without an app", given(set("a"))],
    ["somebody out of use", given(app, set("a"), deactivated)],
  ])("lets %s in", (_who, state) => {
    const decision = useRecoveryCode(state, { opens: () => true });
    expect([decision.rejection?.reason, typesOf(decision)]).toEqual(["UNAUTHENTICATED", []]);
  });

  test("goes with those before when there are others, and with the app", () => {
    expect(given(app, set("a"), set("b")).human?.recoveryCodes).toEqual(["b"]);
    const removed: UserEvent = { type: "user.human.otp.removed", payload: {} };
    expect(given(app, set("a"), removed).human?.recoveryCodes).toEqual([]);
  });

  test("stays when another password is set, and goes when that of others is voided", () => {
    const reset: UserEvent = { type: "user.human.password.reset", payload: { passwordHash: "" } };
    expect(given(app, set("a"), reset).human?.recoveryCodes).toEqual(["a"]);
    const voided = (kind: "password" | "passkey-link"): UserEvent => {
      return { type: "user.credentials.voided", payload: { voided: [{ kind }] } };
    };
    expect(given(app, set("a"), voided("password")).human?.recoveryCodes).toEqual([]);
    expect(given(app, set("a"), voided("passkey-link")).human?.recoveryCodes).toEqual(["a"]);
  });

  test("that was used is no event of logins that is erased once it is old", () => {
    // Else a log that is made anew would have the code back.
    expect(forgottenTypes).not.toContain("user.human.recovery_code.used");
  });
});

describe(`${row}: wrong ones`, () => {
  const { failures, lockedMs } = loginLimits;

  /** Milliseconds of the lock that one more wrong code leads to; none where it leads to none. */
  const lockAfter = (events: readonly UserEvent[], factor: "otp" | "recovery" = "recovery") =>
    (failLogin(given(app, ...events), { factor }, startMs).events.user ?? []).flatMap((event) =>
      event.type === "user.human.locked" ? [event.payload.untilMs - startMs] : [],
    );

  test("lock after five, as ten one-time codes do", () => {
    expect(recoveryLimits.failures).toBe(5);
    expect(lockAfter(wrong(recoveryLimits.failures - 2))).toEqual([]);
    expect(lockAfter(wrong(recoveryLimits.failures - 1))).toEqual([lockedMs]);
    expect(lockAfter(wrong(failures - 2, "otp"), "otp")).toEqual([]);
  });

  test("count together with those", () => {
    expect(lockAfter(wrong(failures - 3, "otp"))).toEqual([]);
    expect(lockAfter(wrong(failures - 2, "otp"))).toEqual([lockedMs]);
    expect(lockAfter(wrong(failures - 1, "otp"))).toEqual([lockedMs]);
    expect(lockAfter([...wrong(2), ...wrong(failures - 5, "otp")], "otp")).toEqual([lockedMs]);
  });

  test("make locks longer", () => {
    const locked: UserEvent = { type: "user.human.locked", payload: { untilMs: 0 } };
    const before = [
      ...wrong(recoveryLimits.failures),
      locked,
      ...wrong(recoveryLimits.failures - 1),
    ];
    expect(lockAfter(before)).toEqual([2 * lockedMs]);
  });
});
