import { type NewCode, removePhone, resendPhoneCode, setPhone } from "../human/phone.ts";
import type { UserDecision } from "../state/acting.ts";
import type { UserState } from "../state/user.ts";
import { asSelf, type Own } from "./own.ts";

/** People need no permission for themselves, but what has the code sent. */
const standing = { isSelf: true, permission: "user.write", verification: "SEND_CODE" } as const;

/** Gives the person a phone number that it has chosen, and sends a code there: see `setPhone`. */
export function setOwnPhone(
  user: UserState | undefined,
  { phone, code, ...own }: Own & Pick<NewCode, "code"> & { readonly phone: string },
  nowMs: number,
): UserDecision {
  const acting = { user, caller: user };
  return asSelf(user, own, nowMs, () => setPhone(acting, { ...standing, phone, code }, nowMs));
}

/** Sends the person another code: see `resendPhoneCode`. */
export function resendOwnPhoneCode(
  user: UserState | undefined,
  { code, ...own }: Own & Pick<NewCode, "code">,
  nowMs: number,
): UserDecision {
  const acting = { user, caller: user };
  return asSelf(user, own, nowMs, () => resendPhoneCode(acting, { ...standing, code }, nowMs));
}

/** Takes the phone number from the person who asks for it: see `removePhone`. */
export function removeOwnPhone(user: UserState | undefined, own: Own, nowMs: number): UserDecision {
  return asSelf(user, own, nowMs, () => removePhone({ user, caller: user }, standing));
}
