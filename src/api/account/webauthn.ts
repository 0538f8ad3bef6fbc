import type { JsonObject } from "@bufbuild/protobuf";
import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import { streamOf } from "../../domain/noun.ts";
import type { Passkey } from "../../domain/user/state/passkey.ts";
import { user } from "../../domain/user/state/user.ts";
import { refuse } from "../call.ts";
import type { Service } from "../service.ts";
import { isPublicKey } from "./public-key.ts";
import type { PasskeyRegistration } from "./registration.ts";

/** Milliseconds that a browser may take to create a passkey. */
export const passkeyOptionsMs = 5 * 60 * 1_000;

/** Bytes of the id of a credential (WebAuthn Level 3, 4 and 7.1). */
const credentialIdBytes = { min: 16, max: 1_023 } as const;

/** Ed25519, ES256 and RS256 (COSE): what authenticators have. */
const algorithms = [-8, -7, -257];

/** The link that options are made for; they are of no use with another. */
interface Link {
  readonly userId: string;
  readonly codeId: string;
}

/** Who creates a passkey, and which there are already. */
interface Named {
  readonly userName: string;
  readonly displayName: string;
  readonly passkeys: readonly Pick<Passkey, "credentialId">[];
}

/**
 * Registering passkeys (WebAuthn Level 3, 7.1). Nothing is kept between the two steps: the
 * challenge is a sealed time, which opens for its link alone.
 */
export function createPasskeys({
  keyring,
  now,
  publicUrl,
}: Pick<Service, "keyring" | "now" | "publicUrl">) {
  const sealedFieldOf = ({ userId, codeId }: Link) => ({
    stream: streamOf(user, userId),
    field: `passkey.challenge.${codeId}`,
  });
  const site = () => new URL(publicUrl());

  /** The library hands over what the client data have for a challenge, of whatever type. */
  function isOurs(link: Link, challenge: unknown): boolean {
    if (typeof challenge !== "string") return false;
    try {
      const sealed = Buffer.from(challenge, "base64url").toString();
      return Number(keyring.open(sealed, sealedFieldOf(link))) > now();
    } catch {
      return false;
    }
  }

  return {
    /** The options from which a browser creates a passkey. */
    async createOptions(link: Link, person: Named): Promise<JsonObject> {
      const sealed = keyring.seal(String(now() + passkeyOptionsMs), sealedFieldOf(link));
      const { generateRegistrationOptions } = await import("@simplewebauthn/server");
      const options = await generateRegistrationOptions({
        rpName: site().hostname,
        rpID: site().hostname,
        userID: new TextEncoder().encode(link.userId),
        userName: person.userName,
        userDisplayName: person.displayName,
        challenge: new TextEncoder().encode(sealed),
        timeout: passkeyOptionsMs,
        attestationType: "none",
        supportedAlgorithmIDs: algorithms,
        excludeCredentials: person.passkeys.map(({ credentialId: id }) => ({ id })),
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
      });
      return JSON.parse(JSON.stringify(options)) as JsonObject;
    },

    /**
     * Reads the passkey that a browser has created. Throws `Refused` where it was not asked for, or
     * is none.
     */
    async verify(
      link: Link,
      registration: PasskeyRegistration | undefined,
    ): Promise<Omit<Passkey, "name">> {
      if (registration === undefined) return refuse("PASSKEY_INVALID");
      const { origin, hostname } = site();
      const { transports } = registration;
      const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
      try {
        await assertNoCertificates(registration);
        const { verified, registrationInfo } = await verifyRegistrationResponse({
          response: responseOf(registration),
          expectedChallenge: (challenge) => isOurs(link, challenge),
          expectedOrigin: origin,
          expectedRPID: hostname,
          requireUserVerification: true,
          supportedAlgorithmIDs: algorithms,
        });
        if (!verified) throw new TypeError("it is not verified");
        const { id, publicKey, counter } = registrationInfo.credential;
        const isPasskey = isCredentialId(id) && (await isPublicKey(publicKey));
        if (!isPasskey) throw new TypeError("it is not a passkey");
        return {
          credentialId: id,
          publicKey: Buffer.from(publicKey).toString("base64url"),
          counter,
          transports,
        };
      } catch {
        return refuse("PASSKEY_INVALID");
      }
    },
  };
}

/** The answer in the form that the library reads, in which it has no members but these. */
function responseOf({
  id,
  clientDataJson,
  attestationObject,
}: PasskeyRegistration): RegistrationResponseJSON {
  const response = { clientDataJSON: clientDataJson, attestationObject };
  return { id, rawId: id, type: "public-key", response, clientExtensionResults: {} };
}

/**
 * Rejects where certificates came with the passkey: none were asked for. To check one, the library
 * would call the addresses that it names, past what guards our fetches.
 */
async function assertNoCertificates({ attestationObject }: PasskeyRegistration): Promise<void> {
  const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers");
  const object = new Uint8Array(Buffer.from(attestationObject, "base64url"));
  const attestation = decodeAttestationObject(object);
  const certificates = attestation.get("attStmt").get("x5c");
  const isSelf = attestation.get("fmt") === "packed" && certificates === undefined;
  if (attestation.get("fmt") !== "none" && !isSelf) throw new TypeError("it is attested");
}

function isCredentialId(id: string): boolean {
  const { length } = Buffer.from(id, "base64url");
  return length >= credentialIdBytes.min && length <= credentialIdBytes.max;
}
