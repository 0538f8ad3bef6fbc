import {
  addOwnOTP,
  recoveryCodesAtOnce,
  removeOwnOTP,
  setRecoveryCodes,
} from "../../domain/user/own/factor.ts";
import type { Answer } from "../../pages/account.ts";
import {
  authenticatorPage,
  confirmPage,
  recoveryCodesPage,
  setupPage,
} from "../../pages/html/account/authenticator.ts";
import { createRecoveryCode, hashRecoveryCode } from "../../secrets/recovery.ts";
import { decide } from "../base/decide.ts";
import type { ProviderParts } from "../base/parts.ts";
import { findAccountPolicy } from "../base/policy.ts";
import { beginOTP, type ConfirmedOTP, confirmOTP } from "../login/new-otp.ts";
import { type OwnSession, ownOf } from "./own-session.ts";
import { backTo, decideOwn, isDone, type Own, type Part } from "./part.ts";

/** The part on which people set an authenticator app up, and get recovery codes. */
export const authenticator: Part = {
  isFresh: () => true,
  show: (own) => show(own),
  take: {
    async begin(own) {
      if (!(await may(own)).begin) return await show(own);
      const { found, sessionId: key } = own;
      const { secret: shared, uri } = await beginOTP(own.site, { found, key });
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
      await decideOwn(own, removeOwnOTP);
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
  const { secondFactors, forceMfa, allowPasskeys } = await findAccountPolicy(site, found);
  const hasPasskey = allowPasskeys && (found.state.human?.passkeys.length ?? 0) > 0;
  return { begin: secondFactors.includes("OTP"), remove: !forceMfa || hasPasskey };
}

/** Shows recovery codes, this once. */
async function giveCodes(own: Own): Promise<Answer> {
  const codes = await giveRecoveryCodes(own.site, own);
  if (codes === undefined) return await show(own, "tooMany");
  return { status: 200, page: recoveryCodesPage({ ...own, codes }) };
}

type Parts = Pick<
  ProviderParts,
  "store" | "objects" | "unit" | "execute" | "newId" | "keyring" | "random" | "now"
>;
type Self = Pick<OwnSession, "found" | "sessionId">;

/** Has the secret count once the app has shown a code of it. */
export async function confirmOwnOTP(
  parts: Parts,
  self: Self,
  typed: string,
): Promise<ConfirmedOTP> {
  const { found, sessionId: key } = self;
  const add: Parameters<typeof confirmOTP>[2]["add"] = async (shown) => {
    const added = { ...ownOf(self), ...shown };
    return await decide(parts, found, (state, nowMs) => addOwnOTP(state, added, nowMs));
  };
  return await confirmOTP(parts, { found, key }, { typed, add });
}

/**
 * Gives the person recovery codes in place of any before, which nobody can read again. Undefined
 * where there is no authenticator app, or too many were made today.
 */
export async function giveRecoveryCodes(
  parts: Parts,
  self: Self,
): Promise<readonly string[] | undefined> {
  const codes = Array.from({ length: recoveryCodesAtOnce }, () => createRecoveryCode(parts.random));
  const given = { ...ownOf(self), hashes: codes.map(hashRecoveryCode) };
  const isSet = await decide(parts, self.found, (s, nowMs) => setRecoveryCodes(s, given, nowMs));
  return isSet ? codes : undefined;
}
