import { ConfigError } from "../config/config.ts";
import { instance, instanceId } from "../domain/instance.ts";
import { streamOf } from "../domain/noun.ts";
import {
  type HeldSigningKey,
  publishedAt,
  rotateSigning,
  type SigningAlgorithm,
  signingAlgorithms,
  signingKeyField,
  signsMsOf,
} from "../domain/signing.ts";
import { operator } from "../domain/user/state/made.ts";
import { doneOr } from "../execute/done.ts";
import { readInstance } from "../execute/read-object.ts";
import type { Offline } from "../log/offline.ts";
import { makeCurveKeyPair, makeKeyPair } from "../secrets/key-pairs.ts";
import type { Store } from "../store/store.ts";

/** What somebody wants of the next key that tokens are signed with. */
export interface Wanted {
  /** Left out, that of the key which signs now. */
  readonly algorithm: string | undefined;
  /** Whether it signs at once, because somebody else may have those that there are. */
  readonly isUrgent: boolean;
}

/** A key that was added, and from when it signs (Unix milliseconds). */
export interface AddedKey {
  readonly keyId: string;
  readonly algorithm: SigningAlgorithm;
  readonly signsMs: number;
}

const makers = { RS256: makeKeyPair, ES256: makeCurveKeyPair };

/**
 * Adds a key that tokens are signed with from then on, as an event that processes which run look
 * for. Rejects with a ConfigError where there is no such algorithm, or as many keys as may be.
 */
export async function rotateSigningKeys(
  { store, execute, keyring, newId, now }: Offline,
  { algorithm: wanted, isUrgent }: Wanted,
): Promise<AddedKey> {
  const [signer] = publishedAt(await heldIn(store), now()).keys;
  const algorithm = algorithmOf(wanted ?? signer?.algorithm ?? "RS256");
  const { publicKey, privateKey } = await makers[algorithm]();
  const sealedField = { stream, field: signingKeyField };
  const key = { publicKey, privateKey: keyring.seal(privateKey, sealedField) };
  const keyId = newId();
  const outcome = await execute({
    actor: operator,
    writes: { instance: { noun: instance, id: instanceId } },
    decide: (states, nowMs) =>
      rotateSigning(states.instance, { keyId, algorithm, ...key, isUrgent }, nowMs),
    // Not what is held afterwards: another rotation may have taken the key out by then.
    answer: ({ events }) => signsMsOf(events),
  });
  if (outcome.kind === "rejected") throw new ConfigError(outcome.rejection.message);
  const { answer: signsMs } = doneOr(outcome, "no key could be added");
  return { keyId, algorithm, signsMs };
}

const stream = streamOf(instance, instanceId);

async function heldIn(store: Store): Promise<readonly HeldSigningKey[]> {
  const found = await readInstance(store);
  if (found === undefined) throw new ConfigError("The log has not been set up yet.");
  return found.signingKeys ?? [];
}

function algorithmOf(text: string): SigningAlgorithm {
  const found = signingAlgorithms.find((one) => one === text);
  if (found !== undefined) return found;
  throw new ConfigError(`--algorithm must be one of ${signingAlgorithms.join(", ")}`);
}
