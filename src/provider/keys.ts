import { createPrivateKey, randomUUID } from "node:crypto";
import type { JWK } from "oidc-provider";
import { type InstanceState, instance, instanceId } from "../domain/instance.ts";
import { streamOf } from "../domain/noun.ts";
import { addFirstKey, bySigning, type SigningKey, signingKeyField } from "../domain/signing.ts";
import { operator } from "../domain/user/made.ts";
import type { ProviderParts } from "./parts.ts";

type Parts = Pick<ProviderParts, "store" | "execute" | "keyring" | "keyPairs">;

const stream = streamOf(instance, instanceId);
const place = { stream, field: signingKeyField };

/** The keys that tokens are signed with, the one that signs now first, and their version. */
export interface Keys {
  /** Tells whether they are still the same. */
  readonly version: string;
  readonly jwks: readonly JWK[];
}

/** Reads the keys; the first one is made when it is first asked for. */
export async function readKeys(parts: Parts): Promise<Keys> {
  const { store, execute, keyring, keyPairs } = parts;
  const held = await heldIn(store);
  if (held.length > 0) {
    return {
      version: held.map(({ keyId, privateKey }) => `${keyId} ${privateKey}`).join(),
      jwks: held.map(({ keyId: kid, algorithm: alg, privateKey }) => {
        const key = createPrivateKey(keyring.open(privateKey, place));
        return { ...key.export({ format: "jwk" }), kid, alg, use: "sig" } as JWK;
      }),
    };
  }
  const { publicKey, privateKey } = await keyPairs.create();
  const key: SigningKey = {
    keyId: randomUUID(),
    algorithm: "RS256",
    publicKey,
    privateKey: keyring.seal(privateKey, place),
  };
  await execute({
    actor: operator,
    writes: { instance: { noun: instance, id: instanceId } },
    decide: (states) => addFirstKey(states.instance, key),
  });
  if ((await heldIn(store)).length === 0) throw new Error("the instance is not set up");
  return await readKeys(parts);
}

async function heldIn(store: Parts["store"]) {
  const [stored] = await store.load([stream]);
  const state = JSON.parse(stored?.state ?? "{}") as Partial<InstanceState>;
  return bySigning(state.signingKeys ?? []);
}
