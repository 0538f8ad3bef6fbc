import type { ExternalComer } from "../../domain/comer.ts";
import { hashSecret } from "../../secrets/tokens.ts";
import type { ProviderParts } from "../base/parts.ts";
import { stepMs } from "../base/step.ts";
import { findAsk } from "./asks.ts";

type Parts = Pick<ProviderParts, "unit" | "now" | "keyring" | "ring">;

/**
 * Somebody who has come from a provider, and whom no link leads to anybody yet. It is kept for the
 * one login in whose browser that was, and goes with the link or the account that comes of it.
 */
export interface Arrived {
  readonly idpId: string;
  readonly comer: ExternalComer;
  /** See `ShownAccount`. */
  readonly askedMs?: number;
  /** Whether the account is to be linked to who logs in next. */
  readonly isLinking: boolean;
}

const keyOf = (uid: string) => `ExternalArrival:${hashSecret(uid)}`;
const sealedFieldOf = (uid: string) => ({ stream: `login-${hashSecret(uid)}`, field: "arrived" });

/** Keeps who has come, in place of who came before, and in the family of the login's request. */
export async function putArrived(
  { unit, now, keyring, ring }: Parts,
  uid: string,
  arrived: Arrived,
): Promise<void> {
  const key = keyOf(uid);
  const before = (await unit.artifacts.find(key)) ?? (await findAsk({ unit }, uid));
  const payload = keyring.seal(JSON.stringify(arrived), sealedFieldOf(uid));
  const family = before?.family ?? (await ring.family());
  const artifact = { key, family, payload, expiresMs: now() + stepMs };
  await unit.artifacts.later({ kind: "put", artifact });
}

/** Who has come from a provider in the login. */
export async function findArrived(
  { unit, keyring }: Pick<Parts, "unit" | "keyring">,
  uid: string,
): Promise<Arrived | undefined> {
  const found = await unit.artifacts.find(keyOf(uid));
  return found && (JSON.parse(keyring.open(found.payload, sealedFieldOf(uid))) as Arrived);
}

/** Forgets who has come. */
export async function removeArrived({ unit }: Pick<Parts, "unit">, uid: string): Promise<void> {
  await unit.artifacts.later({ kind: "remove", key: keyOf(uid) });
}
