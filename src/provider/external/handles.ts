import { createClientSecret, hashSecret } from "../../secrets/tokens.ts";
import { isStopped } from "../../store/artifact.ts";
import type { ProviderParts } from "../base/parts.ts";
import { jwtLimits, type VerifiedToken } from "./jwt.ts";
import type { Identified } from "./protocol.ts";

type Parts = Pick<ProviderParts, "unit" | "now" | "keyring" | "ring" | "random">;

/** What waits at a one-time address: who has shown a token, for one login at one provider. */
interface KeptHandle {
  readonly uid: string;
  readonly idpId: string;
  readonly identified: Identified;
}

const keyOf = (handle: string) => `ExternalHandle:${hashSecret(handle)}`;
const sealedFieldOf = (handle: string) => ({
  stream: `handle-${hashSecret(handle)}`,
  field: "handle",
});

/**
 * Keeps who has shown a token until the browser of the login comes for it; answers by what it is
 * found. Undefined for a token that was shown before.
 */
export async function putHandle(
  { unit, now, keyring, ring, random }: Parts,
  { uid, idpId, token }: Pick<KeptHandle, "uid" | "idpId"> & { readonly token: string },
  { endsMs, identity, claims }: VerifiedToken,
): Promise<string | undefined> {
  const key = `ExternalToken:${hashSecret(`${idpId} ${token}`)}`;
  const once = { kind: "count", key, expiresMs: endsMs, usesMax: 1 } as const;
  const [uses = 0] = await unit.artifacts.write([once]);
  if (isStopped(once, uses)) return undefined;
  const handle = createClientSecret(random);
  const kept: KeptHandle = { uid, idpId, identified: { identity, claims } };
  const artifact = {
    ...{ key: keyOf(handle), family: await ring.family(), expiresMs: now() + jwtLimits.handleMs },
    payload: keyring.seal(JSON.stringify(kept), sealedFieldOf(handle)),
  };
  await unit.artifacts.write([{ kind: "put", artifact }]);
  return handle;
}

/** Takes who waits there, which the one login for which it was kept does, once. */
export async function takeHandle(
  { unit, keyring }: Pick<Parts, "unit" | "keyring">,
  { uid, idpId, handle }: Omit<KeptHandle, "identified"> & { readonly handle: string },
): Promise<Identified | undefined> {
  const key = keyOf(handle);
  const found = await unit.artifacts.find(key);
  if (found === undefined) return undefined;
  const kept = JSON.parse(keyring.open(found.payload, sealedFieldOf(handle))) as KeptHandle;
  if (kept.uid !== uid || kept.idpId !== idpId) return undefined;
  const [uses] = await unit.artifacts.write([{ kind: "use", key }]);
  await unit.artifacts.later({ kind: "remove", key });
  return uses === 1 ? kept.identified : undefined;
}
