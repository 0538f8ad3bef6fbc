/** How many one-time codes of a person were wrong. */
export interface Guessed {
  /** Since somebody got in with one in an unknown browser; left out, none. */
  readonly otpFailures?: number;
}

/** The count after a failure, where that is a code: who tries codes has the password already. */
export function countOTP(
  guessed: Guessed | undefined,
  { factor }: { readonly factor: string },
): Guessed {
  return factor === "otp" ? { otpFailures: (guessed?.otpFailures ?? 0) + 1 } : {};
}

/** The same, as if no code had been wrong. */
export function forgiven<State extends Guessed>(state: State): Omit<State, "otpFailures"> {
  const { otpFailures: _forgiven, ...rest } = state;
  return rest;
}
