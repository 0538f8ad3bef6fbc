import { externalLimits } from "../../domain/registration/register-external.ts";
import { createClientSecret, hashSecret, isHashOf } from "../../secrets/tokens.ts";
import type { ProviderParts } from "../base/parts.ts";
import type { AskSecrets } from "./protocol.ts";

type Parts = Pick<ProviderParts, "unit" | "now" | "keyring" | "ring" | "random">;

/** What is kept of the one request of a login to a provider. */
interface KeptAsk {
  readonly uid: string;
  readonly idpId: string;
  /** The SHA-256 of the state. */
  readonly stateHash: string;
  /** What else belongs to it, as JSON, sealed. */
  readonly sealed: string;
}

const keyOf = (uid: string) => `ExternalAsk:${hashSecret(uid)}`;
const aliasOf = (state: string) => `ExternalAsk:${hashSecret(state)}`;
const sealedFieldOf = (uid: string) => ({ stream: `login-${hashSecret(uid)}`, field: "ask" });

/** Begins a request to a provider, in place of the one before of the login. */
export async function putAsk(
  { unit, now, keyring, ring, random }: Parts,
  { uid, idpId }: Pick<KeptAsk, "uid" | "idpId">,
): Promise<AskSecrets> {
  const fresh = () => createClientSecret(random);
  const [state, nonce, verifier] = [fresh(), fresh(), fresh()] as const;
  const key = keyOf(uid);
  const before = await unit.artifacts.find(key);
  const sealed = keyring.seal(JSON.stringify({ nonce, verifier }), sealedFieldOf(uid));
  const kept: KeptAsk = { uid, idpId, stateHash: hashSecret(state), sealed };
  const artifact = {
    ...{ key, alias: aliasOf(state), payload: JSON.stringify(kept) },
    expiresMs: now() + externalLimits.askMs,
    family: before?.family ?? (await ring.family()),
  };
  // Removed first, so that its uses count anew.
  await unit.artifacts.later({ kind: "remove", key });
  await unit.artifacts.later({ kind: "put", artifact });
  return { state, nonce, verifier };
}

/** What is kept of the last request of a login, also of one that was used. */
export async function findAsk({ unit }: Pick<Parts, "unit">, uid: string) {
  return await unit.artifacts.find(keyOf(uid));
}

/** The login, and the provider, whose request has this state; undefined where there is none. */
export async function findAskedLogin(
  { unit }: Pick<Parts, "unit">,
  state: string,
): Promise<Pick<KeptAsk, "uid" | "idpId"> | undefined> {
  const found = await unit.artifacts.findAlias(aliasOf(state));
  return found && (JSON.parse(found.payload) as KeptAsk);
}

/**
 * Takes the request of a login to a provider, which one alone does: of all who show its state,
 * others get nothing.
 */
export async function takeAsk(
  { unit, keyring }: Pick<Parts, "unit" | "keyring">,
  { uid, idpId, state }: Pick<KeptAsk, "uid" | "idpId"> & { readonly state: string },
): Promise<AskSecrets | undefined> {
  const key = keyOf(uid);
  const found = await unit.artifacts.find(key);
  const kept = found && (JSON.parse(found.payload) as KeptAsk);
  if (kept?.idpId !== idpId || !isHashOf(kept.stateHash, state)) return undefined;
  if (found?.uses !== 0) return undefined;
  // It stays, used: the next request of the login has its place in the ring.
  const [uses] = await unit.artifacts.write([{ kind: "use", key }]);
  if (uses !== 1) return undefined;
  return { state, ...JSON.parse(keyring.open(kept.sealed, sealedFieldOf(uid))) };
}
