import { streamOf } from "../../domain/noun.ts";
import { user } from "../../domain/user/state/user.ts";
import { findOrganizationName } from "../../execute/read-object.ts";
import { keyIdOf, type SealedField } from "../../secrets/keyring.ts";
import { createTotpSecret, otpauthURI, totpStep } from "../../secrets/totp.ts";
import { readCode } from "../../text/typed.ts";
import type { ProviderParts } from "../base/parts.ts";
import { putPendingOTP, removePendingOTP, tryPendingOTP } from "../base/pending-otp.ts";
import type { FoundUser } from "../base/rows.ts";

type Parts = Pick<ProviderParts, "store" | "objects" | "unit" | "keyring" | "random" | "now">;

/** Who sets an authenticator app up, and what the secret waits under: a session, or a login. */
interface NewFactor {
  readonly found: FoundUser;
  readonly key: string;
}

/** What somebody puts into an authenticator app: the secret by hand, or the URI as a QR code. */
export interface NewOTP {
  readonly secret: string;
  readonly uri: string;
}

/** Makes a secret for an authenticator app, in place of one that waits for its first code. */
export async function beginOTP(parts: Parts, { found, key }: NewFactor): Promise<NewOTP> {
  const { userId, state } = found;
  const secret = createTotpSecret(parts.random);
  const sealed = parts.keyring.seal(secret, otpFieldOf(userId));
  await putPendingOTP(parts, { userId, key, secret: sealed });
  const issuer = await findOrganizationName(parts.objects.current, state.organization);
  return { secret, uri: otpauthURI({ issuer, account: state.userName, secret }) };
}

/** What became of a secret: it counts, or its code was wrong, or it waits no more. */
export type ConfirmedOTP = "added" | "wrong" | "over";

/** A code that was typed, and what has a secret count whose code it is. */
interface Confirming {
  readonly typed: string;
  readonly add: (shown: { readonly secret: string; readonly step: number }) => Promise<boolean>;
}

/**
 * Has the secret count once the app has shown a code of it. It goes on to wait: browsers show the
 * answer to the second of two equal forms, which is to be the same.
 */
export async function confirmOTP(
  parts: Parts,
  { found, key }: NewFactor,
  { typed, add }: Confirming,
): Promise<ConfirmedOTP> {
  const pending = await tryPendingOTP(parts, key);
  // Of a key that was retired meanwhile nothing opens: the person begins anew.
  const opens = pending && parts.keyring.keyIds.includes(keyIdOf(pending.secret));
  if (!opens) return "over";
  const { isLast } = pending;
  const sealedField = otpFieldOf(found.userId);
  const shared = parts.keyring.open(pending.secret, sealedField);
  // A form that comes twice is known by the sealed secret. A key that was replaced may be retired.
  const isNewest = keyIdOf(pending.secret) === parts.keyring.keyIds[0];
  const secret = isNewest ? pending.secret : parts.keyring.seal(shared, sealedField);
  const step = totpStep(shared, readCode(typed), parts.now());
  if (step === undefined && !isLast) return "wrong";
  const isAdded = step !== undefined && (await add({ secret, step }));
  if (isAdded) return "added";
  await removePendingOTP(parts, key);
  return "over";
}

/** Where the secret of a person's authenticator app is sealed for. */
export function otpFieldOf(userId: string): SealedField {
  return { stream: streamOf(user, userId), field: "otp.secret" };
}
