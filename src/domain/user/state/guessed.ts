import { type Factor, factors } from "./factor.ts";

/** How many one-time codes of a person were wrong, and what recovery codes count for. */
export interface Guessed {
  /** Since somebody got in with one in an unknown browser; left out, none. */
  readonly otpFailures?: number;
}

/** The count after a failure, where that lengthens locks: who tries codes has the password. */
export function countOTP(
  guessed: Guessed | undefined,
  { factor }: { readonly factor: Factor },
): Guessed {
  const { lengthens, weight } = factors[factor];
  return lengthens ? { otpFailures: (guessed?.otpFailures ?? 0) + weight } : {};
}

/** The same, as if no code had been wrong. */
export function forgiven<State extends Guessed>(state: State): Omit<State, "otpFailures"> {
  const { otpFailures: _forgiven, ...rest } = state;
  return rest;
}
