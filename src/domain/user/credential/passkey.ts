import type { Made } from "../made.ts";

/** A passkey (WebAuthn credential): its id and public key (COSE), both as base64url. */
export interface Passkey {
  readonly credentialId: string;
  readonly publicKey: string;
  /** How often the authenticator says that it was used, against copies of it. */
  readonly counter: number;
  readonly transports: readonly string[];
  /** By which the person knows it again; it may be empty. */
  readonly name: string;
}

/** A passkey of a person, made by who made the link by which it was registered. */
export interface KeptPasskey extends Passkey, Made {
  /** When it was registered (Unix milliseconds). */
  readonly addedMs: number;
  /** When it was shown last (Unix milliseconds); left out until then. */
  readonly usedMs?: number;
}

/** The same person, one of whose passkeys was shown with this counter at a time. */
export function withCounter<State extends { readonly passkeys: readonly KeptPasskey[] }>(
  human: State,
  { credentialId, counter }: Pick<Passkey, "credentialId" | "counter">,
  usedMs: number,
): State {
  const passkeys = human.passkeys.map((one) =>
    one.credentialId === credentialId ? { ...one, counter, usedMs } : one,
  );
  return { ...human, passkeys };
}
