import { accept, type Decision } from "../../decision.ts";
import type { SealedAnew } from "../../sealed.ts";
import type { UserEvent } from "../state/event.ts";
import type { UserState } from "../state/user.ts";

/** Puts the same secret, sealed with another key, in the place of one that is there still. */
export function sealOTPAnew(
  state: UserState | undefined,
  { from, to }: SealedAnew,
): Decision<{ user?: readonly UserEvent[] }> {
  if (state?.human?.otpSecret !== from) return accept({});
  return accept({ user: [{ type: "user.human.otp.sealed", payload: { secret: to } }] });
}
