import { accept, reject } from "../../decision.ts";
import type { UserDecision } from "../state/acting.ts";
import type { Factor } from "../state/factor.ts";
import type { UserState } from "../state/user.ts";
import type { FactorRule } from "./rule.ts";

/** A one-time code, which people with an authenticator app show besides. */
export const otp: FactorRule = {
  amr: ["otp"],
  needs: ({ otpSecret }, shown) => otpSecret !== undefined && !shown.some(isCode),
  isStill: () => true,
  isOf: () => false,
};

/** Whether it is a one-time code, or what stands in for one. */
function isCode(factor: Factor): boolean {
  return factor === "otp" || factor === "recovery";
}

/** Uses a one-time code up: it and those before it are no longer valid. */
export function useOTP(user: UserState | undefined, step: number): UserDecision {
  const human = user?.isInactive ? undefined : user?.human;
  if (human?.otpSecret === undefined) return reject("UNAUTHENTICATED");
  if (step <= (human.login?.otpStep ?? -1)) return reject("UNAUTHENTICATED");
  return accept({ user: [{ type: "user.human.otp.used", payload: { step } }] });
}
