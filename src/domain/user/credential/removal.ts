import { accept, reject } from "../../decision.ts";
import { type ActedUser, type Acting, type EndingDecision, refuseActing } from "../state/acting.ts";
import { removing } from "../state/removal.ts";

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
    const event = { type: "user.human.passwordless.token.removed", payload } as const;
    return removing(acting.user, { userId: acted.userId, about: "passkey.removed" }, event, nowMs);
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
  const event = { type: "user.human.otp.removed", payload: {} } as const;
  return removing(acting.user, { userId: acted.userId, about: "otp.removed" }, event, nowMs);
}
