import { accept, reject } from "../../decision.ts";
import type { EndingDecision } from "../state/acting.ts";
import { noticeOf } from "../state/notice.ts";
import type { UserState } from "../state/user.ts";
import { asSelf, endOthers, type Own, refuseFull } from "./own.ts";

/** The hash of a password, and of the one before; left out where there is none. */
export interface NewPassword extends Own {
  readonly from: string | undefined;
  readonly to: string;
}

/**
 * Sets another password for a person who has given the one before, or who has none and has just
 * logged in. All that came from other logins ends. Who has a hand in the session has one in the
 * password.
 */
export function replaceOwnPassword(
  user: UserState | undefined,
  { from, to, ...own }: NewPassword,
  nowMs: number,
): EndingDecision {
  return asSelf(user, own, nowMs, ({ human, via }): EndingDecision => {
    // Somebody else has set one meanwhile.
    if (human.passwordHash !== from) return reject("CONFLICT");
    const full = refuseFull(human, "user.human.sessions.ended", nowMs);
    if (full !== undefined) return full;
    const ending = endOthers(user, own, nowMs);
    const payload = { passwordHash: to, ...via };
    return accept({
      user: [
        { type: "user.human.password.changed", payload },
        ...ending.user,
        ...noticeOf(user, { about: "password.changed" }),
      ],
      logouts: ending.logouts,
    });
  });
}
