import type { Envelope } from "../../../event.ts";
import { unknownEvent } from "../../noun.ts";
import type { FactorTraits } from "./factor-traits.ts";
import { loginLimits } from "./login-limits.ts";
import type { Via } from "./made.ts";

/** The bounds on recovery codes. */
export const recoveryLimits = {
  /** Wrong ones after which unknown browsers are locked out. */
  failures: 5,
} as const;

/** The events of recovery codes. */
export type RecoveryEvent =
  | {
      readonly type: "user.human.recovery_codes.set";
      readonly payload: { readonly hashes: readonly string[] } & Via;
    }
  | {
      readonly type: "user.human.recovery_code.used";
      readonly payload: { readonly hash: string };
    };

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
  isPast: false,
  lengthens: true,
  weight: loginLimits.failures / recoveryLimits.failures,
  events: {
    "user.human.recovery_codes.set":
      "The person got recovery codes, which replace any earlier ones; their SHA-256 is stored",
    "user.human.recovery_code.used":
      "A recovery code was used in place of a one-time code; it is no longer valid",
  },
  counted: ["user.human.recovery_codes.set"],
  secrets: ["hash", "hashes", "recoveryCodes"],
  begin: () => ({ recoveryCodes: [] }),
  evolve<State extends RecoveryHeld>(human: State, event: RecoveryEvent & Envelope): State {
    switch (event.type) {
      case "user.human.recovery_codes.set":
        return { ...human, recoveryCodes: event.payload.hashes };
      case "user.human.recovery_code.used": {
        const recoveryCodes = human.recoveryCodes.filter((hash) => hash !== event.payload.hash);
        return { ...human, recoveryCodes };
      }
      default:
        return unknownEvent(event);
    }
  },
  withoutCodes: (human) => ({ ...human, recoveryCodes: [] }),
} as const satisfies FactorTraits<RecoveryHeld, RecoveryEvent>;
