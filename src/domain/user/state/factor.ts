import { loginLimits } from "./login-limits.ts";

/** What a factor is to the lock that wrong passwords and codes bring about. */
interface LockTraits {
  /** Whether a lock lets it through, and so goes on when somebody logs in with it. */
  readonly isPast: boolean;
  /** Whether wrong ones make locks longer: what is short is guessed otherwise. */
  readonly lengthens: boolean;
  /** How many wrong tries one counts for. */
  readonly weight: number;
}

/** What a person may show to be let in. */
export const factors = {
  password: { isPast: false, lengthens: false, weight: 1 },
  otp: { isPast: false, lengthens: true, weight: 1 },
  passkey: { isPast: true, lengthens: false, weight: 1 },
  external: { isPast: true, lengthens: false, weight: 1 },
  recovery: {
    ...{ isPast: false, lengthens: true },
    // The lock then comes after `recoveryFailures` of them.
    weight: loginLimits.failures / loginLimits.recoveryFailures,
  },
} as const satisfies { readonly [factor: string]: LockTraits };

/** The name of something that a person shows to be let in. */
export type Factor = keyof typeof factors;
