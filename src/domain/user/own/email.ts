import { accept, reject } from "../../decision.ts";
import { mustExist } from "../../noun.ts";
import { verifyOwnEmail } from "../credential/account.ts";
import type { Shown } from "../human/phone.ts";
import { resetsOf } from "../login/reset.ts";
import type { EndingDecision, UserDecision } from "../state/acting.ts";
import type { EmailRequest } from "../state/email-request.ts";
import { isSpent } from "../state/human-state.ts";
import { noticeOf } from "../state/notice.ts";
import type { UserState } from "../state/user.ts";
import { asSelf, endOthers, type Own, refuseFull } from "./own.ts";

/** Another address that a person asks for, with a fresh code, sealed. */
export interface WantedEmail extends Own {
  readonly email: string;
  readonly code: string;
}

/** The request of a person in use that still waits, whether or not its code is still valid. */
export function findEmailRequest(user: UserState | undefined): EmailRequest | undefined {
  const request = user?.isInactive ? undefined : user?.human?.emailRequest;
  return request?.resets === resetsOf(user) ? request : undefined;
}

/**
 * Has a code mailed to another address of the person, which counts once the code is shown; until
 * then the one before does. Nothing depends on who else has it, so nobody learns that.
 */
export function requestEmail(
  user: UserState | undefined,
  { email, code, ...own }: WantedEmail,
  nowMs: number,
): UserDecision {
  return asSelf(user, own, nowMs, ({ human, via }): UserDecision => {
    if (human.isEmailVerified && human.email === email) return reject("NOTHING_CHANGED");
    const full = refuseFull(human, "user.human.email.requested", nowMs);
    if (full !== undefined) return full;
    const { sessionId } = own;
    const payload = { email, code, sessionId, resets: resetsOf(user), ...via };
    // The reader of the address in use can stop somebody else; of a mail sent again it knows.
    const isKnown = findEmailRequest(user)?.email === email;
    const told = isKnown ? [] : noticeOf(user, { about: "email.requested" });
    return accept({ user: [{ type: "user.human.email.requested", payload }, ...told] });
  });
}

/** Has another code mailed for the request that waits; the one before no longer counts. */
export function resendEmailRequest(
  user: UserState | undefined,
  { code, ...own }: Omit<WantedEmail, "email">,
  nowMs: number,
): UserDecision {
  const email = findEmailRequest(user)?.email;
  if (email === undefined) return reject("NOTHING_CHANGED");
  return requestEmail(user, { ...own, email, code }, nowMs);
}

/** Withdraws the request that waits. */
export function withdrawEmailRequest(
  user: UserState | undefined,
  own: Own,
  nowMs: number,
): UserDecision {
  return asSelf(user, own, nowMs, (): UserDecision => {
    if (findEmailRequest(user) === undefined) return reject("NOTHING_CHANGED");
    return accept({ user: [{ type: "user.human.email.request.withdrawn", payload: {} }] });
  });
}

/** A code for an address, and whose it is. */
export interface ShownEmailCode extends Shown {
  readonly userId: string;
  /** The session that stays; left out, that in which the address was asked for. */
  readonly sessionId?: string;
}

/**
 * Gives the person the address that it has asked for, by the code of the mail; a miss is counted.
 * All that came from other logins ends.
 */
export function proveEmailRequest(
  user: UserState | undefined,
  { opens, ...shown }: ShownEmailCode,
  nowMs: number,
): EndingDecision {
  const request = findEmailRequest(user);
  if (request === undefined || isSpent(request, nowMs)) return reject("CODE_INVALID");
  if (!opens(request.code)) {
    return {
      ...reject("CODE_INVALID"),
      events: { user: [{ type: "user.human.email.request.failed", payload: {} }] },
    };
  }
  const { email, via, sessionId } = request;
  const ending = endOthers(user, { sessionId, ...shown }, nowMs);
  const human = mustExist(user?.human);
  const before = human.isEmailVerified && human.email !== email ? [human.email] : [];
  return accept({
    user: [
      { type: "user.human.email.changed", payload: { email, ...(via ? { via } : {}) } },
      { type: "user.human.email.verified", payload: {} },
      ...ending.user,
      ...before.flatMap((to) => noticeOf(user, { about: "email.changed", to })),
    ],
    logouts: ending.logouts,
  });
}

/** What the code of a mail opens: that for the address in use, or for one that was asked for. */
export interface ShownMailCode extends Shown {
  readonly userId: string;
  readonly opensRequest: Shown["opens"];
}

/** Verifies the address of the person, or the one that it has asked for; a miss counts for both. */
export function verifyEmail(
  user: UserState | undefined,
  { userId, opens, opensRequest }: ShownMailCode,
  nowMs: number,
): EndingDecision {
  const ofRequest = proveEmailRequest(user, { userId, opens: opensRequest }, nowMs);
  if (ofRequest.rejection === undefined) return ofRequest;
  const ofAddress = verifyOwnEmail(user, { opens }, nowMs);
  if (ofAddress.rejection === undefined) return ofAddress;
  const missed = [ofRequest, ofAddress].flatMap(({ events }) => events.user ?? []);
  return { ...ofAddress, events: { user: missed } };
}
