import { accept, reject } from "../../decision.ts";
import type { Shown } from "../human/phone.ts";
import type { UserDecision } from "../state/acting.ts";
import { noticeOf } from "../state/notice.ts";
import type { UserState } from "../state/user.ts";

/** Uses a recovery code up: of two who show it at once, one is refused. */
export function useRecoveryCode(user: UserState | undefined, shown: Shown): UserDecision {
  const human = user?.isInactive ? undefined : user?.human;
  if (human?.otpSecret === undefined) return reject("UNAUTHENTICATED");
  // All are compared: the time does not say which one it was.
  const [hash] = human.recoveryCodes.filter((stored) => shown.opens(stored));
  if (hash === undefined) return reject("UNAUTHENTICATED");
  const told = noticeOf(user, { about: "recovery_code.used" });
  return accept({ user: [{ type: "user.human.recovery_code.used", payload: { hash } }, ...told] });
}
