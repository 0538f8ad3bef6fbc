import type { Rejection } from "../../domain/decision.ts";
import { mustExist } from "../../domain/noun.ts";
import { emailProblem } from "../../domain/user/human/email.ts";
import { accountCharacters } from "../../domain/user/human/human.ts";
import {
  findEmailRequest,
  proveEmailRequest,
  requestEmail,
  resendEmailRequest,
  withdrawEmailRequest,
} from "../../domain/user/own/email.ts";
import type { Answer } from "../../pages/account.ts";
import { ownEmailPage, type WrongOwnEmail } from "../../pages/html/account/email.ts";
import { removeOtherTraces } from "../library/ending.ts";
import { sealedCode, typedFor } from "./code.ts";
import { backTo, decideOwn, isDone, type Own, type Part, refusedIn } from "./part.ts";

/** The part on which people ask for another e-mail address, and prove it. */
export const email: Part = {
  isFresh: () => true,
  show: async (own) => page(own, 200, { isSaved: isDone(own, "saved") }),
  take: {
    async request(own) {
      const wanted = own.visit.fields.of("email").trim();
      const isLong = [...wanted].length > accountCharacters.email;
      if (isLong || emailProblem(wanted) !== undefined) return page(own, 400, { wrong: "invalid" });
      const given = { email: wanted, code: sealedCode(own, type) };
      return end(own, { NOTHING_CHANGED: "same" }, (state, self, nowMs) =>
        requestEmail(state, { ...self, ...given }, nowMs),
      );
    },
    async resend(own) {
      const code = sealedCode(own, type);
      return await end(own, {}, (state, self, nowMs) =>
        resendEmailRequest(state, { ...self, code }, nowMs),
      );
    },
    withdraw: (own) => end(own, {}, withdrawEmailRequest),
    async verify(own) {
      const shown = typedFor(own, type);
      const answer = await end(
        own,
        { CODE_INVALID: "code" },
        (state, self, nowMs) => proveEmailRequest(state, { ...self, ...shown }, nowMs),
        "saved",
      );
      if ("redirect" in answer) await removeOtherTraces(own.site, own);
      return answer;
    },
  },
};

const type = "user.human.email.requested";

/** Decides, and says what is wrong, or shows the part as it is by then. */
async function end(
  own: Own,
  wrongs: { readonly [reason in Rejection["reason"]]?: WrongOwnEmail },
  decision: Parameters<typeof decideOwn>[1],
  done?: "saved",
): Promise<Answer> {
  const refused = await decideOwn(own, decision);
  if (refused === undefined) return backTo("email", done);
  if (refused.reason === "LIMIT_REACHED") return page(own, 429, { wrong: "tooOften" });
  const wrong = wrongs[refused.reason];
  return wrong === undefined ? refusedIn("email", refused) : page(own, 400, { wrong });
}

function page(
  { displayName, secret, visit, found: { state } }: Own,
  status: number,
  told: { readonly wrong?: WrongOwnEmail; readonly isSaved?: boolean },
): Answer {
  const { email: address, isEmailVerified } = mustExist(state.human);
  const shown = {
    ...{ displayName, secret, email: address, isEmailVerified },
    requested: findEmailRequest(state)?.email,
    typed: visit.fields.of("email").trim(),
    emailCharactersMax: accountCharacters.email,
  };
  return { status, page: ownEmailPage({ ...shown, ...told }) };
}
