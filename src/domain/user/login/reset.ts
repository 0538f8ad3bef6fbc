import { accept, reject } from "../../decision.ts";
import { findProven } from "../credential/account.ts";
import type { Shown } from "../human/phone.ts";
import {
  type Acted,
  type Acting,
  type EndingDecision,
  refuseActing,
  type UserDecision,
} from "../state/acting.ts";
import { codeLifetimesMs, isSpent } from "../state/human-state.ts";
import type { HumanState } from "../state/login-state.ts";
import { noticeOf } from "../state/notice.ts";
import { logoutsOf, sessionsOf } from "../state/session.ts";
import type { UserState } from "../state/user.ts";

/** The bounds on asking for a mail by which a forgotten password is replaced. */
export const resetLimits = {
  /** Mails for one person within the time for which a code is valid. */
  mailsOfPerson: 5,
  /** Milliseconds before which nobody is answered who asks: to ask for a mail takes longer. */
  answerMs: 200,
  /** Times that somebody may ask from one address in that time. */
  asksOfAddress: 50,
  /** The same where no address is known. */
  asksOfMachine: 1_000,
} as const;

/**
 * The person, where it may replace a password that it has forgotten: one that was never there is
 * not forgotten.
 */
function findForgetful(user: UserState | undefined): HumanState | undefined {
  const human = findProven(user);
  return human?.passwordHash === undefined ? undefined : human;
}

/** Makes a code for the mail, in place of any before; nothing where the person gets none. */
export function askForReset(
  user: UserState | undefined,
  code: string,
  nowMs: number,
): UserDecision {
  if (findForgetful(user) === undefined) return accept({});
  const payload = { code, expirationMs: nowMs + codeLifetimesMs.password };
  return accept({ user: [{ type: "user.human.password.code.added", payload }] });
}

/** Makes a code as `askForReset` does, because a user who may act on the person asks for it. */
export function sendReset(
  acting: Acting,
  { code, ...acted }: Acted & { readonly code: string },
  nowMs: number,
): UserDecision {
  const refused = refuseActing(acting, acted);
  if (refused !== undefined) return refused;
  const { user } = acting;
  return findForgetful(user) === undefined
    ? reject("RESET_IMPOSSIBLE")
    : askForReset(user, code, nowMs);
}

/**
 * Whether a code is that of the mail. A wrong one is not counted: nobody guesses 256 bits, and
 * strangers could void the link by it.
 */
export function opensReset(user: UserState | undefined, shown: Shown, nowMs: number): boolean {
  const code = findForgetful(user)?.passwordCode;
  return code !== undefined && !isSpent(code, nowMs) && shown.opens(code.code);
}

/** Replaces the password by the code, which is used up. All that came from logins has ended. */
export function resetPassword(
  user: UserState | undefined,
  { userId, passwordHash, ...shown }: Shown & NewPassword,
  nowMs: number,
): EndingDecision {
  if (!opensReset(user, shown, nowMs)) return reject("CODE_INVALID");
  return accept({
    user: [
      { type: "user.human.password.reset", payload: { passwordHash } },
      ...noticeOf(user, { about: "password.changed" }),
    ],
    logouts: logoutsOf(userId, sessionsOf(user, nowMs)),
  });
}

interface NewPassword {
  readonly userId: string;
  readonly passwordHash: string;
}

/** Counts how often all that came from logins of a person has ended at once. */
export function resetsOf(user: UserState | undefined): number {
  return user?.human?.login?.resets ?? 0;
}
