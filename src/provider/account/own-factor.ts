import {
  addOwnOTP,
  recoveryCodesAtOnce,
  removeOwnOTP,
  setRecoveryCodes,
} from "../../domain/user/own-factor.ts";
import { findOrganizationName } from "../../execute/organization.ts";
import { keyIdOf } from "../../secrets/keyring.ts";
import { createRecoveryCode, hashRecoveryCode } from "../../secrets/recovery.ts";
import { createTotpSecret, otpauthURI, totpStep } from "../../secrets/totp.ts";
import { decide } from "../base/decide.ts";
import type { ProviderParts } from "../base/parts.ts";
import { putPendingOTP, removePendingOTP, tryPendingOTP } from "../base/pending-otp.ts";
import { otpFieldOf } from "../login/otp.ts";
import { type OwnSession, ownOf } from "./own-session.ts";

type Parts = Pick<
  ProviderParts,
  "store" | "unit" | "execute" | "newId" | "keyring" | "random" | "now"
>;
type Self = Pick<OwnSession, "found" | "sessionId">;

/** What somebody puts into an authenticator app: the secret by hand, or the URI as a QR code. */
export interface NewOTP {
  readonly secret: string;
  readonly uri: string;
}

/** Makes a secret for an authenticator app, in place of one that waits for its first code. */
export async function beginOwnOTP(parts: Parts, { found, sessionId }: Self): Promise<NewOTP> {
  const { userId, state } = found;
  const secret = createTotpSecret(parts.random);
  const sealed = parts.keyring.seal(secret, otpFieldOf(userId));
  await putPendingOTP(parts, { userId, sessionId, secret: sealed });
  const issuer = await findOrganizationName(parts.store, state.organization);
  return { secret, uri: otpauthURI({ issuer, account: state.userName, secret }) };
}

/** What became of a secret: it counts, or its code was wrong, or it waits no more. */
export type ConfirmedOTP = "added" | "wrong" | "over";

/** Has the secret count once the app has shown a code of it. */
export async function confirmOwnOTP(
  parts: Parts,
  self: Self,
  typed: string,
): Promise<ConfirmedOTP> {
  const pending = await tryPendingOTP(parts, self.sessionId);
  // Of a key that was retired meanwhile nothing opens: the person begins anew.
  const opens = pending && parts.keyring.keyIds.includes(keyIdOf(pending.secret));
  if (!opens) return "over";
  const { secret, isLast } = pending;
  const shared = parts.keyring.open(secret, otpFieldOf(self.found.userId));
  const step = totpStep(shared, typed.replaceAll(/\s/g, ""), parts.now());
  if (step === undefined && !isLast) return "wrong";
  const isAdded = step !== undefined && (await add(parts, self, { secret, step }));
  await removePendingOTP(parts, self.sessionId);
  return isAdded ? "added" : "over";
}

async function add(
  parts: Parts,
  self: Self,
  shown: { readonly secret: string; readonly step: number },
): Promise<boolean> {
  const added = { ...ownOf(self), ...shown };
  return await decide(parts, self.found, (state, nowMs) => addOwnOTP(state, added, nowMs));
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
