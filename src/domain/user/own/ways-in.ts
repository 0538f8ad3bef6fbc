import type { Factor, Held } from "../state/factor.ts";

/** By what a policy lets a person log in: see `waysBy`. */
export interface WaysIn {
  /** Whether it lets somebody in who has shown these. */
  readonly letsIn: (shown: readonly Factor[]) => boolean;
  /** Whether it lets people set a second factor up in a login. */
  readonly setsUp: boolean;
  /** The ids of the identity providers that people may log in by. */
  readonly idpIds: readonly string[];
}

/** What a person may hold that lets it in by itself, or with a code. */
export type HeldWays = Pick<Held, "passwordHash" | "otpSecret" | "passkeys" | "externalIDPs">;

/** Whether a person gets in by what is held, with a code that is held or may be set up. */
export function hasWayIn(
  { passwordHash, otpSecret, passkeys, externalIDPs }: HeldWays,
  { letsIn, setsUp, idpIds }: WaysIn,
): boolean {
  const code = otpSecret !== undefined || setsUp ? (["otp"] as const) : [];
  return (
    (passwordHash !== undefined && letsIn(["password", ...code])) ||
    (passkeys.length > 0 && letsIn(["passkey", ...code])) ||
    (externalIDPs.some(({ idpId }) => idpIds.includes(idpId)) && letsIn(["external", ...code]))
  );
}
