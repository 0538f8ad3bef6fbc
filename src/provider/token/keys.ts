import { createPrivateKey, type KeyObject, randomUUID } from "node:crypto";
import type { JWK } from "oidc-provider";
import { instance, instanceId } from "../../domain/instance.ts";
import { streamOf } from "../../domain/noun.ts";
import {
  addFirstKey,
  publishedAt,
  type SigningAlgorithm,
  type SigningKey,
  signingKeyField,
} from "../../domain/signing.ts";
import { readInstance } from "../../execute/read-object.ts";
import type { ProviderParts } from "../base/parts.ts";

type Parts = Pick<ProviderParts, "store" | "execute" | "keyring" | "keyPairs" | "now">;

const stream = streamOf(instance, instanceId);
const sealedField = { stream, field: signingKeyField };

/** A key that tokens are signed with, opened. */
export interface OpenKey {
  readonly keyId: string;
  readonly algorithm: SigningAlgorithm;
  readonly key: KeyObject;
}

/** The keys that tokens are signed with. */
export interface Keys {
  /** Tells whether they are still the same. */
  readonly version: string;
  /** Until when the same one signs, as far as is known (Unix milliseconds). */
  readonly untilMs: number;
  readonly signer: OpenKey;
  /** Those that are published, the one that signs first. */
  readonly published: readonly OpenKey[];
}

/** A key as the library has it. */
export function jwkOf({ keyId: kid, algorithm: alg, key }: OpenKey): JWK {
  return { ...(key.export({ format: "jwk" }) as JWK), kid, alg, use: "sig" };
}

/** Reads the keys; the first one is made when it is first asked for. */
export async function readKeys(parts: Parts): Promise<Keys> {
  const { store, execute, keyring, keyPairs } = parts;
  const { keys, untilMs } = publishedAt(await heldIn(store), parts.now());
  const published = keys.map(({ keyId, algorithm, privateKey }) => {
    return { keyId, algorithm, key: createPrivateKey(keyring.open(privateKey, sealedField)) };
  });
  const [signer] = published;
  if (signer !== undefined) {
    const version = keys.map(({ keyId, privateKey }) => `${keyId} ${privateKey}`).join();
    return { version, untilMs, signer, published };
  }
  const { publicKey, privateKey } = await keyPairs.create();
  const key: SigningKey = {
    keyId: randomUUID(),
    algorithm: "RS256",
    publicKey,
    privateKey: keyring.seal(privateKey, sealedField),
  };
  await execute({
    actor: "provider",
    writes: { instance: { noun: instance, id: instanceId } },
    decide: (states) => addFirstKey(states.instance, key),
  });
  if ((await heldIn(store)).length === 0) throw new Error("the instance is not set up");
  return await readKeys(parts);
}

async function heldIn(store: Parts["store"]) {
  return (await readInstance(store))?.signingKeys ?? [];
}
