import type { NewEvent } from "../event.ts";
import { accept, type Decision, reject } from "./decision.ts";
import type { PublicKey } from "./key.ts";
import { mustExist } from "./noun.ts";
import type { SealedAnew } from "./sealed.ts";
import { loginLimits } from "./user/state/login-limits.ts";

/** The algorithms that tokens are signed with (RFC 7518, 3.1): none that a secret would do for. */
export const signingAlgorithms = ["RS256", "ES256"] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/** The public part of a key of the curve P-256, as a JWK has it (RFC 7517). */
interface PublicPoint {
  readonly kty: "EC";
  readonly crv: "P-256";
  readonly x: string;
  readonly y: string;
}

/** A key that tokens are signed with: published when it is added. */
export interface SigningKey {
  readonly keyId: string;
  readonly algorithm: SigningAlgorithm;
  readonly publicKey: PublicKey | PublicPoint;
  /** PEM, sealed. */
  readonly privateKey: string;
  /** From when it signs (Unix milliseconds); left out, once it is activated. */
  readonly signsMs?: number;
}

/** The bounds on keys that tokens are signed with. */
export const signingLimits = {
  /** Milliseconds for which a key is published before it signs, so that caches have it by then. */
  publishedMs: 60 * 60_000,
  /**
   * Milliseconds for which it stays published when another one signs. Applications that log
   * somebody out show an id token which is as old as the session.
   */
  keptMs: loginLimits.sessionMs + 24 * 60 * 60_000,
  /** Keys that are published. */
  keys: 10,
  /** Milliseconds for which a process goes on with keys that it cannot read again. */
  unreadMs: 60 * 60_000,
} as const;

/** The field that the private part is sealed for. */
export const signingKeyField = "signing.privateKey";

/** A key as the instance has it. */
export interface HeldSigningKey extends SigningKey {
  /** From when it signs (Unix milliseconds); of those that do, the newest. */
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
  "instance.signing.key.added":
    "A signing key for tokens was created and published; its private part is sealed",
  "instance.signing.key.activated":
    "The key signs tokens from this event on, if it named no time itself",
  "instance.signing.key.retired":
    "The key is no longer published; tokens that it signed are no longer valid",
  "instance.signing.key.sealed": "The key was sealed again with another master key",
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
      return [...keys, heldOf(event.payload)];
    case "instance.signing.key.activated":
      return change({ activeMs: event.timeMs });
    case "instance.signing.key.sealed":
      return change({ privateKey: event.payload.privateKey });
    case "instance.signing.key.retired":
      return keys.filter((key) => key.keyId !== keyId);
  }
}

function heldOf({ signsMs, ...key }: SigningKey): HeldSigningKey {
  return { ...key, ...(signsMs === undefined ? {} : { activeMs: signsMs }) };
}

/** The keys at a moment. */
export interface Published {
  /** Those that are published, the one that signs first. */
  readonly keys: readonly HeldSigningKey[];
  /** Until when it stays so, as far as is known (Unix milliseconds). */
  readonly untilMs: number;
}

/**
 * The keys that are published at a moment. Time alone decides which key signs and when an earlier
 * one is no longer published, so all processes change at once.
 */
export function publishedAt(keys: readonly HeldSigningKey[], nowMs: number): Published {
  const inOrder = keys.toSorted((a, b) => beginOf(a) - beginOf(b));
  const coming = inOrder.filter((key) => beginOf(key) > nowMs);
  const begun = inOrder.slice(0, inOrder.length - coming.length);
  // The time of a key begins to end when the one after it signs.
  const endOf = (index: number) => {
    const after = begun[index + 1];
    return after === undefined ? Number.POSITIVE_INFINITY : beginOf(after) + signingLimits.keptMs;
  };
  const ends = begun.map((_, index) => endOf(index)).filter((endMs) => endMs > nowMs);
  return {
    keys: [...begun.filter((_, index) => endOf(index) > nowMs).toReversed(), ...coming],
    untilMs: Math.min(...ends, ...coming.map(beginOf)),
  };
}

function beginOf({ activeMs = Number.POSITIVE_INFINITY }: HeldSigningKey): number {
  return activeMs;
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

/**
 * Adds a key that signs after a while, or at once in place of all others, which become invalid.
 * Keys that are no longer published are removed.
 */
export function rotateSigning(
  state: Holder | undefined,
  { isUrgent, ...key }: Omit<SigningKey, "signsMs"> & { readonly isUrgent: boolean },
  nowMs: number,
): SigningDecision {
  const held = state?.signingKeys ?? [];
  const { keys } = publishedAt(held, nowMs);
  if (!isUrgent && keys.length >= signingLimits.keys) {
    const message = `${signingLimits.keys} keys are published: wait until one of them expires.`;
    return reject("LIMIT_REACHED", message);
  }
  // Where there was none, nobody knows another one.
  const isFirst = keys.length === 0;
  const signsMs = isUrgent || isFirst ? nowMs : nowMs + signingLimits.publishedMs;
  const over = isUrgent ? held : held.filter((one) => !keys.includes(one));
  return accept({
    instance: [
      { type: "instance.signing.key.added", payload: { ...key, signsMs } },
      ...over.map(({ keyId }) => {
        return { type: "instance.signing.key.retired", payload: { keyId } } as const;
      }),
    ],
  });
}

/** From when a key signs that events of `rotateSigning` add (Unix milliseconds). */
export function signsMsOf(events: readonly NewEvent[]): number {
  const all = events as readonly SigningEvent[];
  const added = all.find(({ type }) => type === "instance.signing.key.added");
  return mustExist((added?.payload as SigningKey | undefined)?.signsMs);
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
