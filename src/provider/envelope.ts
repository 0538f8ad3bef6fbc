import { createPrivateKey, createPublicKey, type JsonWebKey } from "node:crypto";
import { type Claims, readJws, signJws } from "./jws.ts";
import type { Keys } from "./keys.ts";

/**
 * JWT access tokens (RFC 9068) are opaque ones in an envelope: what others check by themselves is
 * signed, and what is asked of this service is looked up, as for any other token. The id inside is
 * none by itself.
 */
export interface Envelope {
  /** The token with these claims; the issuer is added. */
  seal(claims: Claims & { readonly jti: string }): string;
  /** The id of the opaque token in an envelope of this service; undefined for any other text. */
  open(text: string): string | undefined;
}

const type = "at+jwt";

/** Makes the envelopes of an issuer, which are sealed with the first of its keys. */
export function createEnvelope({ jwks }: Keys, issuer: string): Envelope {
  const keys = jwks.map((jwk) => {
    const key = createPrivateKey({ key: jwk as JsonWebKey, format: "jwk" });
    return { keyId: String(jwk.kid), key, publicKey: createPublicKey(key) };
  });
  const publicKeys = new Map(keys.map(({ keyId, publicKey }) => [keyId, publicKey]));
  const [first] = keys;
  return {
    seal(claims) {
      if (first === undefined) throw new TypeError("there is no key to sign with");
      return signJws({ iss: issuer, ...claims }, { ...first, type });
    },
    open(text) {
      const signed = readJws(text, (keyId) => publicKeys.get(keyId));
      if (signed?.type !== type || signed.claims.iss !== issuer) return undefined;
      const { jti } = signed.claims;
      return typeof jti === "string" ? jti : undefined;
    },
  };
}

/** What is kept of a token that comes in an envelope, and of no other. */
export const enveloped = { format: "jwt" } as const;

/** Whether a token that is kept comes in an envelope. */
export function isEnveloped({ extra }: { readonly extra?: unknown }): boolean {
  return (extra as Partial<typeof enveloped> | undefined)?.format === enveloped.format;
}
