import { accept, type Refusal, reject } from "../../decision.ts";
import { mustExist } from "../../noun.ts";
import {
  type Acted,
  type ActedUser,
  type Acting,
  type EndingDecision,
  refuseActing,
  type UserDecision,
} from "../state/acting.ts";
import type { UserEvent } from "../state/event.ts";
import type { Via } from "../state/made.ts";
import { noticeOf } from "../state/notice.ts";
import { logoutsOf, sessionsOf } from "../state/session.ts";

/** An e-mail address for a person, as the caller chose it. */
export interface ChosenEmail extends ActedUser, Via {
  readonly email: string;
  /** Whether it is so on the word of the caller; otherwise the code is mailed there. */
  readonly isVerified: boolean;
  /** A fresh code, sealed. */
  readonly code: string;
}

/**
 * Gives a person another e-mail address, made by the caller: a grant that gives the person more
 * than the caller holds voids it. All that came from logins of before ends. The text of an address
 * that is void makes another address. The address before is told, if it was verified.
 */
export function changeEmail(
  acting: Acting,
  { email, isVerified, code, via, ...acted }: ChosenEmail,
  nowMs: number,
): EndingDecision {
  const refused = refuseEmail(acting, acted);
  if (refused !== undefined) return refused;
  const human = mustExist(acting.user?.human);
  const verified: UserEvent = { type: "user.human.email.verified", payload: {} };
  if (email === human.email && human.emailMade !== undefined) {
    return isVerified && !human.isEmailVerified
      ? accept({ user: [verified] })
      : reject("NOTHING_CHANGED");
  }
  const payload = { email, ...(via === undefined ? {} : { via }) };
  const sessions = sessionsOf(acting.user, nowMs);
  const before = human.isEmailVerified ? [human.email] : [];
  return accept({
    user: [
      { type: "user.human.email.changed", payload },
      { type: "user.human.sessions.terminated", payload: { count: sessions.length } },
      isVerified ? verified : { type: "user.human.email.code.added", payload: { code } },
      ...before.flatMap((to) => noticeOf(acting.user, { about: "email.changed", to })),
    ],
    logouts: logoutsOf(acted.userId, sessions),
  });
}

/** Makes a new code for an address that is not verified; the one before no longer counts. */
export function resendEmailCode(
  acting: Acting,
  { code, ...acted }: Acted & Pick<ChosenEmail, "code">,
): UserDecision {
  const refused = refuseEmail(acting, acted);
  if (refused !== undefined) return refused;
  const { emailMade, isEmailVerified } = mustExist(acting.user?.human);
  // To verify an address that is void would let in who chose it.
  if (emailMade === undefined) return reject("EMAIL_MISSING");
  if (isEmailVerified) return reject("NOTHING_CHANGED");
  return accept({ user: [{ type: "user.human.email.code.added", payload: { code } }] });
}

/**
 * The refusal of a machine, and of a person who has yet to take the account over: the mail for that
 * verifies the address as well.
 */
function refuseEmail(acting: Acting, acted: Acted): Refusal | undefined {
  const refused = refuseActing(acting, acted);
  if (refused !== undefined) return refused;
  const human = acting.user?.human;
  if (human === undefined) {
    return reject("USER_NOT_HUMAN", "The user is a machine, which has no e-mail address.");
  }
  if (human.initialization === undefined) return undefined;
  const message =
    "The person has yet to take over the account: ResendHumanInitialization mails the code for " +
    "that, to another address where one is given.";
  return reject("USER_NOT_INITIALIZED", message);
}
