import { isLoopback } from "../../../text/http-url.ts";
import { accept, reject } from "../../decision.ts";
import type { UserDecision } from "../state/acting.ts";
import { hasRoom } from "../state/day.ts";
import type { Consent } from "../state/login-event.ts";
import { loginLimits } from "../state/login-limits.ts";
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

/** The same where the person was told of the site that hears the answer. */
export function findConsentAt(
  user: UserState | undefined,
  { clientId, site }: { readonly clientId: string; readonly site: string },
): (Consent & Via) | undefined {
  const consent = findConsent(user, clientId);
  return consent?.sites?.includes(site) ? consent : undefined;
}

/**
 * The site that a redirect URI leads to: its scheme and host. Ports of this device are one site,
 * since an application on it takes any. A device has none.
 */
export function siteOf(redirectUri: unknown): string {
  if (typeof redirectUri !== "string") return "device";
  const { protocol, host, hostname } = new URL(redirectUri);
  return `${protocol}//${isLoopback(hostname) ? hostname : host}`;
}

/** All that the person lets applications do; nothing where it is out of use. */
export function consentsOf(user: UserState | undefined): readonly (Consent & Via)[] {
  return user?.isInactive ? [] : (user?.human?.login?.consents ?? []);
}

/** A consent that is given in a session, and where its answer goes: see `siteOf`. */
interface GivenConsent extends Omit<Consent, "sites"> {
  readonly userId: string;
  readonly sessionId: string;
  readonly site: string;
}

/**
 * Lets an application act for the person who is asked in a session. Who has a hand in the session
 * has one in this, too; a consent that stands stays as it is, but for that and its sites.
 */
export function giveConsent(
  user: UserState | undefined,
  given: GivenConsent,
  nowMs: number,
): UserDecision {
  const { userId, sessionId, clientId, consentId, site } = given;
  const session = sessionOf(user, sessionId, nowMs);
  if (session === undefined) return reject("UNAUTHENTICATED");
  const before = findConsent(user, clientId);
  const hands = [...(before?.via ?? []), ...(session.via ?? [])];
  const { via } = viaOf(userId, { maker: userId, via: hands });
  const told = before?.sites ?? [];
  const isTold = told.includes(site);
  if (before !== undefined && isTold && via?.length === before.via?.length) return accept({});
  if (!hasRoom(user?.human?.login, "user.human.consent.given", nowMs)) {
    return reject("UNAUTHENTICATED");
  }
  const sites = (isTold ? told : [...told, site]).slice(-loginLimits.sites);
  const consent = { clientId, consentId: before?.consentId ?? consentId, sites };
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
