import {
  addOwnOTP,
  type Own,
  recoveryCodesAtOnce,
  removeOwnOTP,
  setRecoveryCodes,
} from "../../domain/user/own-factor.ts";
import { findOrganizationName } from "../../execute/organization.ts";
import { keyIdOf } from "../../secrets/keyring.ts";
import { createRecoveryCode, hashRecoveryCode } from "../../secrets/recovery.ts";
import { hashSecret } from "../../secrets/tokens.ts";
import { createTotpSecret, otpauthURI, totpStep } from "../../secrets/totp.ts";
import { ofUser } from "../../store/artifact.ts";
import { decide } from "../base/decide.ts";
import type { ProviderParts } from "../base/parts.ts";
import { otpFieldOf } from "./otp.ts";
import type { OwnSession } from "./own-session.ts";

/** The bounds on setting an authenticator app up. */
export const setupLimits = {
  /** Milliseconds from the secret to the first code of the app. */
  pendingMs: 15 * 60_000,
  /** Wrong codes after which the secret is none any more. */
  failures: 5,
} as const;

type Parts = Pick<
  ProviderParts,
  "store" | "unit" | "execute" | "newId" | "keyring" | "random" | "now"
>;
type Self = Pick<OwnSession, "found" | "sessionId">;

/** What somebody puts into an authenticator app, by hand or as a QR code. */
export interface NewOTP {
  readonly secret: string;
  readonly uri: string;
}

/**
 * Makes a secret for an authenticator app, in place of one that waits for its first code. It waits
 * beside the log, sealed, for this session alone: what nobody has proven is no event, and somebody
 * who begins again and again fills nothing. No key is kept for it: with another it begins anew.
 */
export async function beginOwnOTP(parts: Parts, self: Self): Promise<NewOTP> {
  const { userId, state } = self.found;
  const secret = createTotpSecret(parts.random);
  const key = keyOf(self);
  const artifact = {
    ...{ key, family: ofUser(userId) },
    payload: parts.keyring.seal(secret, otpFieldOf(userId)),
    expiresMs: parts.now() + setupLimits.pendingMs,
  };
  // Removed first, so that tries count anew.
  await parts.unit.artifacts.write([
    { kind: "remove", key },
    { kind: "put", artifact },
  ]);
  const issuer = await findOrganizationName(parts.store, state.organization);
  return { secret, uri: otpauthURI({ issuer, account: state.userName, secret }) };
}

/** What became of a secret: it counts, or its code was wrong, or it waits no more. */
export type ConfirmedOTP = "added" | "wrong" | "over";

/** Has the secret count, once the app has shown a code of it. */
export async function confirmOwnOTP(
  parts: Parts,
  self: Self,
  typed: string,
): Promise<ConfirmedOTP> {
  const { artifacts } = parts.unit;
  const key = keyOf(self);
  // Counted before anything is compared, so that no number of them at once gets past the bound.
  const [uses = 0] = await artifacts.write([{ kind: "use", key }]);
  const kept = await artifacts.find(key);
  const isOpen = kept && parts.keyring.keyIds.includes(keyIdOf(kept.payload));
  if (!isOpen || uses > setupLimits.failures) return "over";
  const secret = parts.keyring.open(kept.payload, otpFieldOf(self.found.userId));
  const step = totpStep(secret, typed.replaceAll(/\s/g, ""), parts.now());
  if (step === undefined && uses < setupLimits.failures) return "wrong";
  const isAdded = step !== undefined && (await add(parts, self, { secret: kept.payload, step }));
  await artifacts.write([{ kind: "remove", key }]);
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

/** Takes the authenticator app from the person. Resolves to whether it may. */
export async function removeOTPOf(parts: Parts, self: Self): Promise<boolean> {
  return await decide(parts, self.found, (s, nowMs) => removeOwnOTP(s, ownOf(self), nowMs));
}

/**
 * Gives the person recovery codes in place of any before; they are not read again. Undefined where
 * there is no authenticator app, or too many were made today.
 */
export async function giveRecoveryCodes(
  parts: Parts,
  self: Self,
): Promise<readonly string[] | undefined> {
  const codes = Array.from({ length: recoveryCodesAtOnce }, () => createRecoveryCode(parts.random));
  const set = { ...ownOf(self), hashes: codes.map(hashRecoveryCode) };
  const isSet = await decide(parts, self.found, (s, nowMs) => setRecoveryCodes(s, set, nowMs));
  return isSet ? codes : undefined;
}

function ownOf({ found: { userId }, sessionId }: Self): Own {
  return { userId, sessionId };
}

function keyOf({ sessionId }: Self): string {
  return `OTPSetup:${hashSecret(sessionId)}`;
}
