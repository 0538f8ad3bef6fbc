import { createPublicKey } from "node:crypto";
import { hashSecret } from "../../secrets/tokens.ts";
import { createMemory } from "../base/memory.ts";
import { type Claims, readJws, signJws } from "./jws.ts";
import type { Keys } from "./keys.ts";

/**
 * JWT access tokens (RFC 9068) are opaque ones in an envelope: what others check by themselves is
 * signed, and what is asked of this service is looked up, as for any other token. The id inside is
 * none by itself.
 */
export interface Envelope {
  /** The token with these claims; the issuer is added. */
  seal(claims: Claims & { readonly jti: string }): Promise<string>;
  /** The id of the opaque token in an envelope of this service; undefined for any other text. */
  open(text: string): Promise<string | undefined>;
}

const type = "at+jwt";

/** Envelopes that are remembered with the ids in them. */
export const envelopesMax = 10_000;

/** Makes the envelopes of an issuer. */
export function createEnvelope({ signer, published }: Keys, issuer: string): Envelope {
  const publicKeys = new Map(
    published.map(({ keyId, key }) => [keyId, [createPublicKey(key)]] as const),
  );
  const opened = createMemory<string>(envelopesMax);

  async function read(text: string): Promise<string | undefined> {
    const signed = await readJws(text, (keyId = "") => publicKeys.get(keyId) ?? []);
    if (signed?.type !== type || signed.claims.iss !== issuer) return undefined;
    const { jti } = signed.claims;
    return typeof jti === "string" ? jti : undefined;
  }

  return {
    seal: (claims) => signJws({ iss: issuer, ...claims }, { ...signer, type }),
    async open(text) {
      // Nothing costs more than to check a signature; what is signed by these keys stays so.
      const name = hashSecret(text);
      const before = opened.get(name);
      if (before !== undefined) return before;
      const id = await read(text);
      if (id !== undefined) opened.keep(name, id);
      return id;
    },
  };
}
