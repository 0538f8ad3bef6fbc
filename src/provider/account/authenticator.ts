import type { Answer } from "../../pages/account.ts";
import {
  authenticatorPage,
  confirmPage,
  recoveryCodesPage,
  setupPage,
} from "../../pages/html/account/authenticator.ts";
import { findAccountPolicy } from "../base/policy.ts";
import { beginOwnOTP, confirmOwnOTP, giveRecoveryCodes, takeOwnOTP } from "./own-factor.ts";
import { backTo, isDone, type Own, type Part } from "./part.ts";

/** The part on which people set an authenticator app up, and get recovery codes. */
export const authenticator: Part = {
  isFresh: () => true,
  show: (own) => show(own),
  take: {
    async begin(own) {
      if (!(await may(own)).begin) return await show(own);
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
          return await show(own, "over");
      }
    },
    codes: giveCodes,
    async remove(own) {
      if (!(await may(own)).remove) return await show(own);
      await takeOwnOTP(own.site, own);
      return backTo("authenticator", "removed");
    },
  },
};

async function show(own: Own, problem?: "over" | "tooMany"): Promise<Answer> {
  const { found, ...person } = own;
  const { otpSecret, recoveryCodes = [] } = found.state.human ?? {};
  const codesLeft = recoveryCodes.length;
  const shown = { hasOne: otpSecret !== undefined, codesLeft, may: await may(own) };
  const isRemoved = isDone(own, "removed");
  const told = { isRemoved, ...(problem ? { problem } : {}) };
  const page = authenticatorPage({ ...person, ...shown, ...told });
  return { status: problem === undefined ? 200 : 400, page };
}

/** What the policy lets the person do with an app: not to be without one that it forces. */
async function may({ site, found }: Own) {
  const { secondFactors, forceMfa } = await findAccountPolicy(site, found);
  const hasPasskey = (found.state.human?.passkeys.length ?? 0) > 0;
  return { begin: secondFactors.includes("OTP"), remove: !forceMfa || hasPasskey };
}

/** Shows recovery codes, this once. */
async function giveCodes(own: Own): Promise<Answer> {
  const codes = await giveRecoveryCodes(own.site, own);
  if (codes === undefined) return await show(own, "tooMany");
  return { status: 200, page: recoveryCodesPage({ ...own, codes }) };
}
