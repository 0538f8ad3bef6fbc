import {
  addOwnOTP,
  recoveryCodesAtOnce,
  removeOwnOTP,
  setRecoveryCodes,
} from "../../domain/user/own/factor.ts";
import { createRecoveryCode, hashRecoveryCode } from "../../secrets/recovery.ts";
import { decide } from "../base/decide.ts";
import type { ProviderParts } from "../base/parts.ts";
import { beginOTP, type ConfirmedOTP, confirmOTP, type NewOTP } from "../login/new-otp.ts";
import { type OwnSession, ownOf } from "./own-session.ts";

type Parts = Pick<
  ProviderParts,
  "store" | "unit" | "execute" | "newId" | "keyring" | "random" | "now"
>;
type Self = Pick<OwnSession, "found" | "sessionId">;

/** Makes a secret for an authenticator app, in place of one that waits for its first code. */
export async function beginOwnOTP(parts: Parts, { found, sessionId }: Self): Promise<NewOTP> {
  return await beginOTP(parts, { found, key: sessionId });
}

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

/** Takes the authenticator app from the person. Resolves to whether it is gone. */
export async function takeOwnOTP(parts: Parts, self: Self): Promise<boolean> {
  const own = ownOf(self);
  return await decide(parts, self.found, (state, nowMs) => removeOwnOTP(state, own, nowMs));
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
