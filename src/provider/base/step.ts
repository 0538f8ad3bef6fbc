import type { Factor } from "../../domain/user/state/factor.ts";
import type { ShownAccount } from "../../domain/user/state/factor-traits.ts";
import { hashSecret } from "../../secrets/tokens.ts";
import { ofUser } from "../../store/artifact.ts";
import type { ProviderParts } from "./parts.ts";

type Parts = Pick<ProviderParts, "unit" | "now">;

/** How far somebody has come who logs in, between the pages of one login. */
export interface Step {
  readonly userId: string;
  readonly shown: readonly Factor[];
  /** The account at an identity provider, where one was shown. */
  readonly external?: ShownAccount;
  /** A hash of what is kept of the password that was shown: another one has to be shown anew. */
  readonly password: string;
  /** How often all that came from logins had ended: an open login ends with it, too. */
  readonly resets: number;
}

/** Milliseconds from one page to the next: no less than a secret waits for its first code. */
export const stepMs = 15 * 60_000;

const keyOf = (uid: string) => `LoginStep:${hashSecret(uid)}`;

/** Remembers how far somebody has come in the login with this id. */
export async function putStep({ unit, now }: Parts, uid: string, step: Step): Promise<void> {
  const payload = JSON.stringify(step);
  const family = ofUser(step.userId);
  const artifact = { key: keyOf(uid), family, payload, expiresMs: now() + stepMs };
  await unit.artifacts.later({ kind: "put", artifact });
}

export async function findStep(
  { unit }: Pick<Parts, "unit">,
  uid: string,
): Promise<Step | undefined> {
  const found = await unit.artifacts.find(keyOf(uid));
  return found && (JSON.parse(found.payload) as Step);
}

export async function removeStep({ unit }: Pick<Parts, "unit">, uid: string): Promise<void> {
  await unit.artifacts.later({ kind: "remove", key: keyOf(uid) });
}
