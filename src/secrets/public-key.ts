import { createPublicKey } from "node:crypto";
import type { KeyPair } from "./key-pairs.ts";

/** The bounds on keys that others have made: below is guessed, above costs who checks. */
export const publicKeyLimits = { leastBits: 2_048, bits: 4_096 } as const;

/** The exponent that all have: another one is weak, or costs who checks. */
const exponent = 65_537n;

/** One public key in PEM (RFC 7468), and nothing else. */
const form = /^\s*-----BEGIN ((?:RSA )?PUBLIC KEY)-----[\sA-Za-z0-9+/=]+-----END \1-----\s*$/;

/** The public part of an RSA key in PEM; undefined for anything else, and for a weak key. */
export function readPublicKey(pem: string): KeyPair["publicKey"] | undefined {
  const key = form.test(pem) ? parse(pem) : undefined;
  if (key?.asymmetricKeyType !== "rsa") return undefined;
  const { modulusLength = 0, publicExponent } = key.asymmetricKeyDetails ?? {};
  const { leastBits, bits } = publicKeyLimits;
  if (modulusLength < leastBits || modulusLength > bits || publicExponent !== exponent) return;
  const { n = "", e = "" } = key.export({ format: "jwk" });
  return { kty: "RSA", n, e };
}

function parse(pem: string) {
  try {
    return createPublicKey(pem);
  } catch {
    return undefined;
  }
}
