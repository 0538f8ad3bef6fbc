import type { Fault } from "./fault.ts";
import { at } from "./threat-input.ts";

/** Those of recovery codes, and of apps that people set up themselves; see `threat.ts`. */
export const codeFaults: { readonly [row: string]: readonly Fault[] } = {
  "a recovery code as a back door": [
    [
      "recovery codes that stay when they were used",
      at(
        "domain/user/state/recovery.ts",
        "filter((hash) => hash !== payload.hash)",
        `filter((hash) => hash !== "")`,
      ),
    ],
    [
      "any recovery code taken for one that was given",
      at(
        "domain/user/login/recovery.ts",
        "filter((stored) => shown.opens(stored))",
        "filter((stored) => shown.opens(stored) || true)",
      ),
    ],
    [
      "wrong recovery codes that count as one-time codes do",
      at(
        "domain/user/state/recovery.ts",
        "weight: loginLimits.failures / recoveryLimits.failures,",
        "weight: 1,",
      ),
    ],
    [
      "tries of recovery codes counted once each",
      at("provider/base/tries.ts", "given.weight ?? 1", "1"),
    ],
    [
      "recovery codes that outlive the app",
      at(
        "domain/user/state/credential-state.ts",
        'event.type === "user.human.otp.removed" ? withoutCodes(after) : after',
        "after",
      ),
    ],
    [
      "recovery codes that outlive what others made",
      at(
        "domain/user/state/voided.ts",
        "endsLogins ? withoutCodes(left.human) : left.human",
        "left.human",
      ),
    ],
    [
      "recovery codes of who needs no code",
      at(
        "provider/login/second-factor.ts",
        `    if (needed(found, step) !== "otp") return toLogin(open);\n    const visitor`,
        "    const visitor",
      ),
    ],
  ],
  "an authenticator app that nobody has": [
    [
      "secrets that count before a code was shown",
      at(
        "provider/login/new-otp.ts",
        `if (step === undefined && !isLast) return "wrong";
  const isAdded = step !== undefined && (await add({ secret, step }));`,
        "const isAdded = await add({ secret, step: step ?? 0 });",
      ),
    ],
    [
      "secrets recorded as they were sealed",
      at("provider/login/new-otp.ts", "const secret = isNewest ?", "const secret = true ?"),
    ],
    [
      "codes tried at will",
      at("provider/base/pending-otp.ts", "|| uses > setupLimits.failures", "|| uses < 0"),
    ],
    [
      "secrets of any session",
      at("provider/base/pending-otp.ts", "hashSecret(key)", `hashSecret("")`),
    ],
    [
      "the code by which it was shown, again",
      at(
        "domain/user/own/factor.ts",
        `{ type: "user.human.otp.used", payload: { step } },`,
        `{ type: "user.human.otp.used", payload: { step: step - 9 } },`,
      ),
    ],
    [
      "apps that nobody is told of",
      at(
        "domain/user/own/factor.ts",
        `noticeOf(user, { about: "otp.added" })`,
        `noticeOf(undefined, { about: "otp.added" })`,
      ),
    ],
    [
      "sessions elsewhere that stay when the app is removed",
      at(
        "domain/user/state/login-state.ts",
        "before.sessions.filter(({ sessionId }) => stays.includes(sessionId))",
        "before.sessions.filter(() => stays.length > 0)",
      ),
    ],
  ],
};
