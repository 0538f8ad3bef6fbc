import { type KeyObject, randomBytes } from "node:crypto";
import type { ClientMetadata } from "oidc-provider";
import type { MachineProof } from "../../domain/user/state/machine-entry.ts";
import type { FoundUser } from "../base/rows.ts";
import { publicKeysOf, signersOf } from "./assertion.ts";
import { type OurMetadata, oursBeside } from "./client.ts";

/** The grant by which machines get tokens for what they sign with a key (RFC 7523, 2.1). */
export const machineGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** The client id where a JWT is signed in the name of nobody: no client and no user has it. */
export const nobodyId = "nobody";

/**
 * A machine with a client secret as the library reads it, which gets tokens for itself alone. The
 * library takes the secret in the header or in the body, whichever is named here.
 */
export function machineMetadataOf(found: FoundUser): ClientMetadata | undefined {
  const { machine, clientSecret, isInactive } = found.state;
  if (machine === undefined || clientSecret === undefined || isInactive) return undefined;
  const { clientSecretHash } = clientSecret;
  return {
    ...aloneOf(found, { clientSecretHash }),
    client_secret: clientSecretHash,
    token_endpoint_auth_method: "client_secret_basic",
    grant_types: ["client_credentials"],
  };
}

/**
 * The caller who asks for tokens by an assertion. It may be nobody: the assertion, which
 * has yet to be read, proves it, and nothing else does. The key that it names is one of the caller,
 * or has no id.
 */
export function signerMetadataOf(found: FoundUser | undefined, named: unknown): ClientMetadata {
  // The library remembers what is made here, so it has nothing that the caller chose.
  const keyId = Object.keys(found?.state.keys ?? {}).find((id) => id === named) ?? "";
  return {
    ...aloneOf(found, { keyId }),
    token_endpoint_auth_method: "none",
    grant_types: [machineGrant],
  };
}

function aloneOf(found: FoundUser | undefined, proof: MachineProof) {
  const { userId = nobodyId, state } = found ?? {};
  return {
    ...{ client_id: userId, redirect_uris: [], response_types: [] },
    ours: {
      ...oursBeside(state?.organization ?? ""),
      isEnveloped: state?.machine?.accessTokenType === "JWT",
      proof,
    } satisfies OurMetadata,
  };
}

/**
 * The key with which a machine in use signs under this id. Where there is none, one that nobody
 * signs with: it takes as long to find that out.
 */
export function signerKeysOf(
  found: FoundUser | undefined,
  keyId: string,
  nowMs: number,
): readonly KeyObject[] {
  const signers = found?.state.isInactive ? [] : signersOf(found?.state ?? {}, keyId, nowMs);
  return publicKeysOf(signers.length > 0 ? signers : [["", { publicKey: nobodys, addedMs: 0 }]]);
}

/** A random number in place of a product of primes. */
const modulus = randomBytes(256);
modulus[0] = 0xff;
modulus[255] = 0xff;
const nobodys = { kty: "RSA", n: modulus.toString("base64url"), e: "AQAB" } as const;
