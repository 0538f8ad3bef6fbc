import { accept, reject } from "../../decision.ts";
import type { UserDecision } from "../state/acting.ts";
import { hasRoom } from "../state/day.ts";
import type { Consent } from "../state/login-event.ts";
import { type Via, viaOf } from "../state/made.ts";
import { sessionOf } from "../state/session.ts";
import type { UserState } from "../state/user.ts";

/** What the person lets the application do; undefined where nothing, or where it is out of use. */
export function findConsent(
  user: UserState | undefined,
  clientId: string,
): (Consent & Via) | undefined {
  return consentsOf(user).find((one) => one.clientId === clientId);
}

/** All that the person lets applications do; nothing where it is out of use. */
export function consentsOf(user: UserState | undefined): readonly (Consent & Via)[] {
  return user?.isInactive ? [] : (user?.human?.login?.consents ?? []);
}

/**
 * Lets an application act for the person who is asked in a session. Who has a hand in the session
 * has one in this, too; a consent that stands stays as it is, but for that.
 */
export function giveConsent(
  user: UserState | undefined,
  given: Consent & { readonly userId: string; readonly sessionId: string },
  nowMs: number,
): UserDecision {
  const { userId, sessionId, clientId, consentId } = given;
  const session = sessionOf(user, sessionId, nowMs);
  if (session === undefined) return reject("UNAUTHENTICATED");
  const before = findConsent(user, clientId);
  const hands = [...(before?.via ?? []), ...(session.via ?? [])];
  const { via } = viaOf(userId, { maker: userId, via: hands });
  if (before !== undefined && via?.length === before.via?.length) return accept({});
  if (!hasRoom(user?.human?.login, "user.human.consent.given", nowMs)) {
    return reject("UNAUTHENTICATED");
  }
  const consent = { clientId, consentId: before?.consentId ?? consentId };
  const payload = { ...consent, ...(via === undefined ? {} : { via }) };
  return accept({ user: [{ type: "user.human.consent.given", payload }] });
}

/** Ends what an application may do; nothing where that is nothing. */
export function revokeConsent(
  user: UserState | undefined,
  { clientId }: Pick<Consent, "clientId">,
): UserDecision {
  if (findConsent(user, clientId) === undefined) return accept({});
  return accept({ user: [{ type: "user.human.consent.revoked", payload: { clientId } }] });
}
