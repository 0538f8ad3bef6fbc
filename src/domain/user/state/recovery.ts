import type { FactorTraits } from "./factor-traits.ts";
import { loginLimits } from "./login-limits.ts";
import type { Via } from "./made.ts";

/** The bounds on recovery codes. */
export const recoveryLimits = {
  /** Wrong ones after which unknown browsers are locked out. */
  failures: 5,
} as const;

/** The payloads of their events. */
export interface RecoveryEvents {
  readonly "user.human.recovery_codes.set": { readonly hashes: readonly string[] } & Via;
  readonly "user.human.recovery_code.used": { readonly hash: string };
}

/** The recovery codes of a person. */
export interface RecoveryHeld {
  /** The SHA-256 of each code that is left to get in without the app, in hexadecimal. */
  readonly recoveryCodes: readonly string[];
}

/** A recovery code: it stands in for a one-time code of somebody who has no app at hand. */
export const recovery = {
  comes: "instead",
  // RFC 8176 has no name of its own for one.
  amr: ["otp"],
  weight: loginLimits.failures / recoveryLimits.failures,
  lengthens: true,
  events: {
    "user.human.recovery_codes.set": [
      "The person got recovery codes, which replace any earlier ones; their SHA-256 is stored",
      (human, { payload }) => ({ ...human, recoveryCodes: payload.hashes }),
    ],
    "user.human.recovery_code.used": [
      "A recovery code was used in place of a one-time code; it is no longer valid",
      (human, { payload }) => ({
        ...human,
        recoveryCodes: human.recoveryCodes.filter((hash) => hash !== payload.hash),
      }),
    ],
  },
  counted: ["user.human.recovery_codes.set"],
  secrets: ["hash", "hashes", "recoveryCodes"],
  withoutCodes: (human) => ({ ...human, recoveryCodes: [] }),
} as const satisfies FactorTraits<RecoveryHeld, RecoveryEvents>;
