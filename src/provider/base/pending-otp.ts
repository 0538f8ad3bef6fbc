import { hashSecret } from "../../secrets/tokens.ts";
import { ofUser } from "../../store/artifact.ts";
import type { ProviderParts } from "./parts.ts";

type Parts = Pick<ProviderParts, "unit" | "now">;

/** The bounds on setting an authenticator app up. */
export const setupLimits = {
  /** Milliseconds from the secret to the first code of the app. */
  pendingMs: 15 * 60_000,
  /** Wrong codes after which the secret is void. */
  failures: 5,
} as const;

/**
 * A secret of an authenticator app that waits for its first code. It lies beside the log, for one
 * session or one open login alone: what nobody has proven is no event, and who begins again and
 * again fills nothing.
 */
interface PendingOTP {
  readonly userId: string;
  /** What it waits under. */
  readonly key: string;
  /** Sealed. */
  readonly secret: string;
}

const keyOf = (key: string) => `PendingOTP:${hashSecret(key)}`;

/** Keeps a secret in place of one that waits there. */
export async function putPendingOTP(
  { unit, now }: Parts,
  { userId, key: name, secret: payload }: PendingOTP,
): Promise<void> {
  const [key, expiresMs] = [keyOf(name), now() + setupLimits.pendingMs];
  const artifact = { key, family: ofUser(userId), payload, expiresMs };
  // Removed first, so that tries count anew.
  await unit.artifacts.write([
    { kind: "remove", key },
    { kind: "put", artifact },
  ]);
}

/**
 * Counts a try before anything is compared, so that no number of them at once gets past the bound.
 * Resolves to the sealed secret, and whether this is the last try; undefined where none waits.
 */
export async function tryPendingOTP(
  { unit: { artifacts } }: Parts,
  name: string,
): Promise<{ readonly secret: string; readonly isLast: boolean } | undefined> {
  const key = keyOf(name);
  const [uses = 0] = await artifacts.write([{ kind: "use", key }]);
  const kept = await artifacts.find(key);
  if (kept === undefined || uses > setupLimits.failures) return undefined;
  return { secret: kept.payload, isLast: uses === setupLimits.failures };
}

export async function removePendingOTP({ unit }: Parts, name: string): Promise<void> {
  await unit.artifacts.write([{ kind: "remove", key: keyOf(name) }]);
}
