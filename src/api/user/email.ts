import { changeEmail, resendEmailCode } from "../../domain/user/human/change-email.ts";
import { viaOfCall } from "../call.ts";
import type { Handlers } from "../handlers.ts";
import type { Service } from "../service.ts";
import { freshCode } from "./code.ts";
import { changeUser } from "./user.ts";

/** The handlers on e-mail addresses. */
export function emailHandlers(service: Service) {
  const fresh = (userId: string) => freshCode(service, "user.human.email.code.added", userId).code;

  return {
    updateHumanEmail({ userId, email, isEmailVerified: isVerified }, context) {
      const chosen = { email, isVerified, code: fresh(userId), ...viaOfCall(context) };
      return changeUser(service, userId, context, (states, acted, nowMs) =>
        changeEmail(states, { ...acted, ...chosen }, nowMs),
      );
    },

    resendHumanEmailVerification({ userId }, context) {
      const code = fresh(userId);
      return changeUser(service, userId, context, (states, acted) =>
        resendEmailCode(states, { ...acted, code }),
      );
    },
  } satisfies Handlers;
}
