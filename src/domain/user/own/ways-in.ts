import type { Held } from "../state/factor.ts";

/** By what a policy lets a person log in. */
export interface WaysIn {
  readonly password: boolean;
  readonly passkey: boolean;
  /** The ids of the identity providers that people may log in by. */
  readonly idpIds: readonly string[];
}

/** What a person may hold that lets it in by itself. */
export type HeldWays = Pick<Held, "passwordHash" | "passkeys" | "externalIDPs">;

/** Whether a person gets in by what is held. */
export function hasWayIn(
  { passwordHash, passkeys, externalIDPs }: HeldWays,
  ways: WaysIn,
): boolean {
  return (
    (ways.password && passwordHash !== undefined) ||
    (ways.passkey && passkeys.length > 0) ||
    externalIDPs.some(({ idpId }) => ways.idpIds.includes(idpId))
  );
}
