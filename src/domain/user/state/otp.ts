import type { FactorTraits, StayingSessions } from "./factor-traits.ts";

/** The payloads of the events of authenticator apps. */
export interface OTPEvents {
  readonly "user.human.otp.added": { readonly secret: string };
  readonly "user.human.otp.sealed": { readonly secret: string };
  readonly "user.human.otp.removed": StayingSessions;
}

/** The authenticator app of a person. */
export interface OTPHeld {
  /** Sealed; left out where the person has no app. */
  readonly otpSecret?: string;
}

/** A one-time code, which people with an authenticator app show besides. */
export const otp = {
  comes: "second",
  amr: ["otp"],
  weight: 1,
  lengthens: true,
  isNeeded: ({ otpSecret }) => otpSecret !== undefined,
  events: {
    "user.human.otp.added": [
      "The secret of an authenticator app was stored, sealed",
      (human, { payload }) => ({ ...human, otpSecret: payload.secret }),
    ],
    "user.human.otp.sealed": [
      "The secret was sealed again with another master key",
      (human, { payload }) => ({ ...human, otpSecret: payload.secret }),
    ],
    "user.human.otp.removed": [
      "The authenticator app and recovery codes were removed; sessions, tokens and known " +
        "browsers ended, except the session in which the person removed the app",
      ({ otpSecret: _removed, ...rest }) => rest,
    ],
  },
  counted: ["user.human.otp.removed"],
  secrets: ["otpSecret", "secret"],
} as const satisfies FactorTraits<OTPHeld, OTPEvents>;
