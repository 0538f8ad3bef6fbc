import { accept, reject } from "../../decision.ts";
import type { UserDecision } from "../state/acting.ts";
import { noticeOf } from "../state/notice.ts";
import type { UserState } from "../state/user.ts";

/** Keeps the same password by another hash, unless another password was set meanwhile. */
export function rehashPassword(
  user: UserState | undefined,
  { from, to }: { readonly from: string; readonly to: string },
): UserDecision {
  if (user?.human?.passwordHash !== from) return accept({});
  return accept({
    user: [{ type: "user.human.password.rehashed", payload: { passwordHash: to } }],
  });
}

/** Sets another password in place of one that the person has just given. */
export function changeOwnPassword(
  user: UserState | undefined,
  { from, to }: { readonly from: string; readonly to: string },
): UserDecision {
  if (user?.isInactive || user?.human?.passwordHash !== from) return reject("UNAUTHENTICATED");
  return accept({
    user: [
      { type: "user.human.password.changed", payload: { passwordHash: to } },
      ...noticeOf(user, { about: "password.changed" }),
    ],
  });
}
