import { createPrivateKey, createPublicKey, type JsonWebKey } from "node:crypto";
import type { CDPSession, Page } from "playwright-core";

/** The device that keeps a person's passkeys; Chromium plays it (WebAuthn, 11). */
export interface Authenticator {
  /** Whether the device recognises the person from now on. */
  recognises(isRecognised: boolean): Promise<void>;
  passkeys(): Promise<readonly StoredPasskey[]>;
  /** Keeps its passkeys from now on as old devices do: whose they are has to be said. */
  forgetsPeople(): Promise<void>;
}

export interface StoredPasskey {
  readonly rpId: string | undefined;
  /** As base64url. */
  readonly credentialId: string;
  readonly userId: string;
  readonly isResident: boolean;
  /** The public half of the key that never leaves the device. */
  readonly publicKey: JsonWebKey;
}

export async function addAuthenticator(page: Page): Promise<Authenticator> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  return {
    recognises: async (isUserVerified) => {
      await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
    },
    passkeys: async () => {
      const { credentials } = await session.send("WebAuthn.getCredentials", { authenticatorId });
      return credentials.map((credential) => ({
        rpId: credential.rpId,
        credentialId: Buffer.from(credential.credentialId, "base64").toString("base64url"),
        userId: Buffer.from(credential.userHandle ?? "", "base64").toString(),
        isResident: credential.isResidentCredential,
        publicKey: publicKeyOf(credential.privateKey),
      }));
    },
    forgetsPeople: async () => {
      const { credentials } = await session.send("WebAuthn.getCredentials", { authenticatorId });
      for (const { userHandle: _whose, ...credential } of credentials) {
        const { credentialId } = credential;
        await session.send("WebAuthn.removeCredential", { authenticatorId, credentialId });
        await session.send("WebAuthn.addCredential", {
          ...{ authenticatorId, credential: { ...credential, isResidentCredential: false } },
        });
      }
    },
  };
}

function publicKeyOf(pkcs8: string): JsonWebKey {
  const key = Buffer.from(pkcs8, "base64");
  const privateKey = createPrivateKey({ key, format: "der", type: "pkcs8" });
  return createPublicKey(privateKey).export({ format: "jwk" });
}
