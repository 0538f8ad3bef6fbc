import type { PublicKey } from "./app/app.ts";
import { accept, type Decision } from "./decision.ts";
import type { SealedAnew } from "./sealed.ts";

/** A key that tokens are signed with: published when it is added, used once it is activated. */
export interface SigningKey {
  readonly keyId: string;
  readonly algorithm: "RS256";
  readonly publicKey: PublicKey;
  /** PKCS #1 in PEM, sealed. */
  readonly privateKey: string;
}

/** The field that the private part is sealed for. */
export const signingKeyField = "signing.privateKey";

/** A key as the instance has it. */
export interface HeldSigningKey extends SigningKey {
  /** When it was activated last (Unix milliseconds); the newest of these signs. */
  readonly activeMs?: number;
}

/** The events of signing keys. */
export type SigningEvent =
  | { readonly type: "instance.signing.key.added"; readonly payload: SigningKey }
  | {
      readonly type: "instance.signing.key.activated" | "instance.signing.key.retired";
      readonly payload: Pick<SigningKey, "keyId">;
    }
  | {
      readonly type: "instance.signing.key.sealed";
      readonly payload: Pick<SigningKey, "keyId" | "privateKey">;
    };

/** The happening behind each of them: see `Noun.events`. */
export const signingEvents: { readonly [type in SigningEvent["type"]]: string } = {
  "instance.signing.key.added": "A key to sign tokens with was made, its private part sealed",
  "instance.signing.key.activated": "Tokens are signed with it from here on",
  "instance.signing.key.retired": "It is published no more: what it signed is good no more",
  "instance.signing.key.sealed": "It was sealed anew, with another master key",
};

/** The keys after an event. */
export function evolveSigning(
  keys: readonly HeldSigningKey[],
  event: SigningEvent & { readonly timeMs: number },
): readonly HeldSigningKey[] {
  const { keyId } = event.payload;
  const change = (changed: Partial<HeldSigningKey>) =>
    keys.map((key) => (key.keyId === keyId ? { ...key, ...changed } : key));
  switch (event.type) {
    case "instance.signing.key.added":
      return [...keys, event.payload];
    case "instance.signing.key.activated":
      return change({ activeMs: event.timeMs });
    case "instance.signing.key.sealed":
      return change({ privateKey: event.payload.privateKey });
    case "instance.signing.key.retired":
      return keys.filter((key) => key.keyId !== keyId);
  }
}

/** The keys, the one that signs first. */
export function bySigning(keys: readonly HeldSigningKey[]): readonly HeldSigningKey[] {
  return keys.toSorted((a, b) => (b.activeMs ?? 0) - (a.activeMs ?? 0));
}

/** What has the keys: the instance. */
interface Holder {
  readonly signingKeys?: readonly HeldSigningKey[];
}

type SigningDecision = Decision<{ instance?: readonly SigningEvent[] }>;

/** Adds the first key and has it sign, where there is none: nobody knows another one by then. */
export function addFirstKey(state: Holder | undefined, key: SigningKey): SigningDecision {
  if (state === undefined || (state.signingKeys ?? []).length > 0) return accept({});
  const { keyId } = key;
  return accept({
    instance: [
      { type: "instance.signing.key.added", payload: key },
      { type: "instance.signing.key.activated", payload: { keyId } },
    ],
  });
}

/** Puts the same private part, sealed with another master key, in the place of one. */
export function sealSigningAnew(
  state: Holder | undefined,
  { from, to }: SealedAnew,
): SigningDecision {
  const key = state?.signingKeys?.find(({ privateKey }) => privateKey === from);
  if (key === undefined) return accept({});
  const payload = { keyId: key.keyId, privateKey: to };
  return accept({ instance: [{ type: "instance.signing.key.sealed", payload }] });
}
