import type { Answer } from "../../pages/account.ts";
import {
  authenticatorPage,
  confirmPage,
  recoveryCodesPage,
  setupPage,
} from "../../pages/html/account/authenticator.ts";
import { beginOwnOTP, confirmOwnOTP, giveRecoveryCodes, takeOwnOTP } from "./own-factor.ts";
import { backTo, doneOf, type Own, type Part } from "./part.ts";

/** The part on which people set an authenticator app up, and get recovery codes. */
export const authenticator: Part = {
  isFresh: () => true,
  show: async (own) => show(own),
  take: {
    async begin(own) {
      const { secret: shared, uri } = await beginOwnOTP(own.site, own);
      return { status: 200, page: setupPage({ ...own, shared, uri }) };
    },
    async confirm(own) {
      switch (await confirmOwnOTP(own.site, own, own.visit.fields.of("code"))) {
        case "added":
          return await giveCodes(own);
        case "wrong":
          return { status: 400, page: confirmPage(own) };
        case "over":
          return show(own, "over");
      }
    },
    codes: giveCodes,
    async remove(own) {
      await takeOwnOTP(own.site, own);
      return backTo("authenticator", "removed");
    },
  },
};

function show(own: Own, problem?: "over" | "tooMany"): Answer {
  const { found, ...person } = own;
  const { otpSecret, recoveryCodes = [] } = found.state.human ?? {};
  const shown = { hasOne: otpSecret !== undefined, codesLeft: recoveryCodes.length };
  const isRemoved = doneOf(own, ["removed"]) !== undefined;
  const page = authenticatorPage({
    ...person,
    ...shown,
    isRemoved,
    ...(problem ? { problem } : {}),
  });
  return { status: problem === undefined ? 200 : 400, page };
}

/** Shows recovery codes, this once. */
async function giveCodes(own: Own): Promise<Answer> {
  const codes = await giveRecoveryCodes(own.site, own);
  if (codes === undefined) return show(own, "tooMany");
  return { status: 200, page: recoveryCodesPage({ ...own, codes }) };
}
