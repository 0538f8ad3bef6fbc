import { accept, reject } from "../../decision.ts";
import type { UserDecision } from "../state/acting.ts";
import type { UserState } from "../state/user.ts";

/** Uses a one-time code up: it and those before it are no longer valid. */
export function useOTP(user: UserState | undefined, step: number): UserDecision {
  const human = user?.isInactive ? undefined : user?.human;
  if (human?.otpSecret === undefined) return reject("UNAUTHENTICATED");
  if (step <= (human.login?.otpStep ?? -1)) return reject("UNAUTHENTICATED");
  return accept({ user: [{ type: "user.human.otp.used", payload: { step } }] });
}
