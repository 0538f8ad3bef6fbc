import type { Envelope } from "../../../event.ts";
import { unknownEvent } from "../../noun.ts";
import type { FactorTraits, StayingSessions } from "./factor-traits.ts";

/** The events of authenticator apps. */
export type OTPEvent =
  | {
      readonly type: "user.human.otp.added" | "user.human.otp.sealed";
      readonly payload: { readonly secret: string };
    }
  | { readonly type: "user.human.otp.removed"; readonly payload: StayingSessions };

/** The authenticator app of a person. */
export interface OTPHeld {
  /** Sealed; left out where the person has no app. */
  readonly otpSecret?: string;
}

/** A one-time code, which people with an authenticator app show besides. */
export const otp = {
  comes: "second",
  amr: ["otp"],
  isPast: false,
  lengthens: true,
  weight: 1,
  isNeeded: ({ otpSecret }) => otpSecret !== undefined,
  events: {
    "user.human.otp.added": "The secret of an authenticator app was stored, sealed",
    "user.human.otp.sealed": "The secret was sealed again with another master key",
    "user.human.otp.removed":
      "The authenticator app and recovery codes were removed; sessions, tokens and known browsers " +
      "ended, except the session in which the person removed the app",
  },
  counted: ["user.human.otp.removed"],
  secrets: ["otpSecret", "secret"],
  begin: () => ({}),
  evolve<State extends OTPHeld>(human: State, event: OTPEvent & Envelope): State {
    switch (event.type) {
      case "user.human.otp.added":
      case "user.human.otp.sealed":
        return { ...human, otpSecret: event.payload.secret };
      case "user.human.otp.removed": {
        const { otpSecret: _removed, ...rest } = human;
        return rest as State;
      }
      default:
        return unknownEvent(event);
    }
  },
} as const satisfies FactorTraits<OTPHeld, OTPEvent>;
