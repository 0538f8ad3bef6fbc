import { createPublicKey, type JsonWebKey } from "node:crypto";

/** The fewest bits of a key of RSA (NIST SP 800-131A, 3). */
const rsaBitsMin = 2_048;

/**
 * Whether a key as COSE has it (RFC 9052, 7) is one of the algorithm that it names: a point of its
 * curve, a modulus of RSA that is long enough. The library asks that only when somebody logs in.
 */
export async function isPublicKey(cose: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const { decodeCredentialPublicKey } = await import("@simplewebauthn/server/helpers");
  try {
    const key = createPublicKey({ key: readJwk(decodeCredentialPublicKey(cose)), format: "jwk" });
    return (key.asymmetricKeyDetails?.modulusLength ?? rsaBitsMin) >= rsaBitsMin;
  } catch {
    return false;
  }
}

/** The labels of a key and its parts (RFC 9053, 7; RFC 8230, 4). */
const label = { kind: 1, algorithm: 3, first: -1, second: -2, third: -3 } as const;

/** A COSE key as JWK. Throws where it is no key of the kind that its algorithm needs. */
function readJwk(key: Pick<ReadonlyMap<number, unknown>, "get">): JsonWebKey {
  const bytes = (at: number) => {
    const value = key.get(at);
    if (!(value instanceof Uint8Array)) throw new TypeError("a part of the key is missing");
    return Buffer.from(value).toString("base64url");
  };
  const isOf = (...[algorithm, kind, curve]: readonly number[]) =>
    key.get(label.algorithm) === algorithm &&
    key.get(label.kind) === kind &&
    (curve === undefined || key.get(label.first) === curve);

  if (isOf(-7, 2, 1)) {
    return { kty: "EC", crv: "P-256", x: bytes(label.second), y: bytes(label.third) };
  }
  if (isOf(-8, 1, 6)) return { kty: "OKP", crv: "Ed25519", x: bytes(label.second) };
  if (isOf(-257, 3)) return { kty: "RSA", n: bytes(label.first), e: bytes(label.second) };
  throw new TypeError("the algorithm of the key was not offered");
}
