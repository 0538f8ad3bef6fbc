import { accept, reject } from "../../decision.ts";
import { type ActedUser, type Acting, type EndingDecision, refuseActing } from "../state/acting.ts";
import type { Via } from "../state/made.ts";
import { noticeOf } from "../state/notice.ts";
import { logoutsOf, sessionsOf } from "../state/session.ts";
import { refuseOwnPassword } from "./password.ts";

/** A password for a person, as the caller chose it. */
export interface ChosenPassword extends ActedUser {
  readonly password: string;
}

/** Refuses what `setPassword` would: asked before the password is hashed, which costs much. */
export function checkPassword(
  acting: Acting,
  { password, ...acted }: ChosenPassword,
): EndingDecision {
  const refused = refuseActing(acting, acted);
  if (refused !== undefined) return refused;
  const { user } = acting;
  if (user?.human === undefined) {
    return reject("USER_NOT_HUMAN", "The user is a machine, which has no password.");
  }
  return refuseOwnPassword(user, password) ?? accept({});
}

/**
 * Sets the password of a person, made by the caller: a grant that gives the person more than the
 * caller holds voids it. All that came from logins of before ends.
 */
export function setPassword(
  acting: Acting,
  { passwordHash, changeRequired, via, ...chosen }: ChosenPassword & SetPassword,
  nowMs: number,
): EndingDecision {
  const checked = checkPassword(acting, chosen);
  if (checked.rejection !== undefined) return checked;
  const payload = { passwordHash, changeRequired, ...(via === undefined ? {} : { via }) };
  return accept({
    user: [
      { type: "user.human.password.set", payload },
      ...noticeOf(acting.user, { about: "password.changed" }),
    ],
    logouts: logoutsOf(chosen.userId, sessionsOf(acting.user, nowMs)),
  });
}

interface SetPassword extends Via {
  readonly passwordHash: string;
  /** Whether the person has to choose another one at the next login. */
  readonly changeRequired: boolean;
}
