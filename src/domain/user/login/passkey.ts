import { accept, reject } from "../../decision.ts";
import type { UserDecision } from "../state/acting.ts";
import type { PasskeyUse } from "../state/factor-traits.ts";
import type { Passkey } from "../state/passkey.ts";
import type { UserState } from "../state/user.ts";
import { recordOfDay } from "./day-record.ts";

/** The passkey of the person with the id, where the person may be let in by one. */
export function findPasskey(
  user: UserState | undefined,
  { credentialId }: Pick<PasskeyUse, "credentialId">,
): Passkey | undefined {
  const human = user?.isInactive ? undefined : user?.human;
  return human?.passkeys.find((one) => one.credentialId === credentialId);
}

/**
 * Judges a passkey that somebody has shown. Devices that count say more each time: one that does
 * not may be a copy of it (WebAuthn Level 3, 6.1.1), which is recorded.
 */
export function usePasskey(
  user: UserState | undefined,
  used: PasskeyUse,
  nowMs: number,
): UserDecision {
  const passkey = findPasskey(user, used);
  if (passkey === undefined) return reject("UNAUTHENTICATED");
  const counts = used.counter > 0 || passkey.counter > 0;
  if (!counts || used.counter > passkey.counter) return accept({});
  const { credentialId, counter } = used;
  const payload = { credentialId, counter };
  const event = { type: "user.human.passwordless.token.refused", payload } as const;
  return { ...reject("UNAUTHENTICATED"), ...recordOfDay(user, event, nowMs) };
}
