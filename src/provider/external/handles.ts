import { createClientSecret, hashSecret, isHashOf } from "../../secrets/tokens.ts";
import { isStopped } from "../../store/artifact.ts";
import { aheadMs, type ProviderParts } from "../base/parts.ts";
import { findAsk } from "./asks.ts";
import { jwtLimits, type VerifiedToken } from "./jwt.ts";
import type { Identified } from "./protocol.ts";

type Parts = Pick<ProviderParts, "unit" | "now" | "machineNow" | "keyring" | "ring" | "random">;

/** What waits at a one-time address: who has shown a token, for one login at one provider. */
interface KeptHandle {
  readonly idpId: string;
  /** The SHA-256 of the handle. */
  readonly handleHash: string;
  readonly identified: Identified;
}

/** What names a handle: the login that it is for, and the provider. */
interface Named {
  readonly uid: string;
  readonly idpId: string;
}

const keyOf = (uid: string) => `ExternalHandle:${hashSecret(uid)}`;
const sealedFieldOf = (uid: string) => ({ stream: `login-${hashSecret(uid)}`, field: "handle" });

/**
 * Keeps who has shown a token until the browser of the login comes for it, in place of who did
 * before, and in the family of the login's request. Answers by what it is found; undefined for a
 * token that was shown before.
 */
export async function putHandle(
  parts: Parts,
  { uid, idpId, token }: Named & { readonly token: string },
  { endsMs, identity, claims }: VerifiedToken,
): Promise<string | undefined> {
  const { unit, now, keyring, ring, random } = parts;
  // Without the signature: anybody makes another one of some, which is right as well.
  const signed = token.slice(0, token.lastIndexOf("."));
  const key = `ExternalToken:${hashSecret(`${idpId} ${signed}`)}`;
  const expiresMs = endsMs + aheadMs(parts);
  const once = { kind: "count", key, expiresMs, usesMax: 1, isOnce: true } as const;
  const [uses = 0] = await unit.artifacts.write([once]);
  if (isStopped(once, uses)) return undefined;
  const handle = createClientSecret(random);
  const handleHash = hashSecret(handle);
  const kept: KeptHandle = { idpId, handleHash, identified: { identity, claims } };
  const artifact = {
    ...{ key: keyOf(uid), expiresMs: now() + jwtLimits.handleMs },
    family: (await findAsk({ unit }, uid))?.family ?? (await ring.family()),
    payload: keyring.seal(JSON.stringify(kept), sealedFieldOf(uid)),
  };
  // Removed first, so that its uses count anew.
  await unit.artifacts.write([
    { kind: "remove", key: artifact.key },
    { kind: "put", artifact },
  ]);
  return handle;
}

/** Takes who waits there, which the one login for which it was kept does, once. */
export async function takeHandle(
  { unit, keyring }: Pick<Parts, "unit" | "keyring">,
  { uid, idpId, handle }: Named & { readonly handle: string },
): Promise<Identified | undefined> {
  const key = keyOf(uid);
  const found = await unit.artifacts.find(key);
  if (found === undefined) return undefined;
  const kept = JSON.parse(keyring.open(found.payload, sealedFieldOf(uid))) as KeptHandle;
  if (kept.idpId !== idpId || !isHashOf(kept.handleHash, handle)) return undefined;
  const [uses] = await unit.artifacts.write([{ kind: "use", key }]);
  await unit.artifacts.later({ kind: "remove", key });
  return uses === 1 ? kept.identified : undefined;
}
