import {
  type KeptRegistration,
  type PendingRegistration,
  registerLimits,
  registrationAlias,
  registrationField,
} from "../../domain/registration/pending.ts";
import { hashSecret, isEqual } from "../../secrets/tokens.ts";
import type { ProviderParts } from "./parts.ts";

type Parts = Pick<ProviderParts, "unit" | "now" | "keyring" | "ring">;

const keyOf = (uid: string) => `PendingRegistration:${hashSecret(uid)}`;

/** Keeps a registration of a login in place of one that waits there. */
export async function putRegistration(
  parts: Parts,
  uid: string,
  pending: Omit<PendingRegistration, "expirationMs" | "isProven">,
): Promise<void> {
  const key = keyOf(uid);
  const artifact = await artifactOf(parts, uid, { ...pending, isProven: false });
  // Removed first, so that tries count anew. On the disk before its mail is asked for.
  await parts.unit.artifacts.write([
    { kind: "remove", key },
    { kind: "put", artifact },
  ]);
}

/** The registration that waits in a login, whether its address is proven or not. */
export async function findRegistration(
  { unit, keyring }: Pick<Parts, "unit" | "keyring">,
  uid: string,
): Promise<PendingRegistration | undefined> {
  const kept = await unit.artifacts.find(keyOf(uid));
  if (kept === undefined) return undefined;
  const { id, sealed } = JSON.parse(kept.payload) as KeptRegistration;
  return JSON.parse(keyring.open(sealed, registrationField(id))) as PendingRegistration;
}

/**
 * Counts a try of the code before it is compared, so that no number of them at once gets past the
 * bound. With the right one the address is proven; the last wrong one removes what waits.
 */
export async function tryRegistration(
  parts: Parts,
  uid: string,
  code: string,
): Promise<"right" | "wrong" | "over"> {
  const { artifacts } = parts.unit;
  const key = keyOf(uid);
  const [uses = 0] = await artifacts.write([{ kind: "use", key }]);
  const pending = await findRegistration(parts, uid);
  if (pending === undefined || uses > registerLimits.failures) return "over";
  if (isEqual(pending.code, code)) {
    const artifact = await artifactOf(parts, uid, { ...pending, isProven: true });
    await artifacts.later({ kind: "put", artifact });
    return "right";
  }
  if (uses < registerLimits.failures) return "wrong";
  await removeRegistration(parts, uid);
  return "over";
}

export async function removeRegistration(
  { unit }: Pick<Parts, "unit">,
  uid: string,
): Promise<void> {
  await unit.artifacts.write([{ kind: "remove", key: keyOf(uid) }]);
}

/** What is kept of it, among all that strangers begin. */
async function artifactOf(
  { unit, ring, now, keyring }: Parts,
  uid: string,
  pending: Omit<PendingRegistration, "expirationMs">,
) {
  const { id } = pending;
  const expiresMs = now() + registerLimits.codeMs;
  const text = JSON.stringify({ ...pending, expirationMs: expiresMs });
  const sealed = keyring.seal(text, registrationField(id));
  const before = await unit.artifacts.find(keyOf(uid));
  return {
    ...{ key: keyOf(uid), alias: registrationAlias(id), expiresMs },
    family: before?.family ?? (await ring.family()),
    payload: JSON.stringify({ id, sealed } satisfies KeptRegistration),
  };
}
