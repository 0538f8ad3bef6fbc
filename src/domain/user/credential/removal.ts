import { accept, reject } from "../../decision.ts";
import { type ActedUser, type Acting, type EndingDecision, refuseActing } from "../state/acting.ts";
import type { UserEvent } from "../state/event.ts";
import { noticeOf } from "../state/notice.ts";
import { logoutsOf, sessionsOf } from "../state/session.ts";

/**
 * Takes a passkey from a person, or a link by which one may be registered. With a passkey all ends
 * that came from logins: a thief of the device may be logged in by it.
 */
export function removePasskey(
  acting: Acting,
  { tokenId, ...acted }: ActedUser & { readonly tokenId: string },
  nowMs: number,
): EndingDecision {
  const refused = refuseActing(acting, acted);
  if (refused !== undefined) return refused;
  const { passkeys = [], passwordless = [] } = acting.user?.human ?? {};
  if (passkeys.some(({ credentialId }) => credentialId === tokenId)) {
    const payload = { credentialId: tokenId };
    const events: readonly UserEvent[] = [
      { type: "user.human.passwordless.token.removed", payload },
      ...noticeOf(acting.user, { about: "passkey.removed" }),
    ];
    return removing(acting, acted, events, nowMs);
  }
  if (!passwordless.some(({ codeId }) => codeId === tokenId)) return reject("PASSKEY_NOT_FOUND");
  const payload = { codeId: tokenId };
  return accept({ user: [{ type: "user.human.passwordless.initialization.removed", payload }] });
}

/** Takes the authenticator app from a person, and ends all that came from logins. */
export function removeOTP(acting: Acting, acted: ActedUser, nowMs: number): EndingDecision {
  const refused = refuseActing(acting, acted);
  if (refused !== undefined) return refused;
  if (acting.user?.human?.otpSecret === undefined) return reject("OTP_NOT_FOUND");
  const events: readonly UserEvent[] = [
    { type: "user.human.otp.removed", payload: {} },
    ...noticeOf(acting.user, { about: "otp.removed" }),
  ];
  return removing(acting, acted, events, nowMs);
}

function removing(
  { user }: Acting,
  { userId }: ActedUser,
  events: readonly UserEvent[],
  nowMs: number,
): EndingDecision {
  return accept({ user: events, logouts: logoutsOf(userId, sessionsOf(user, nowMs)) });
}
