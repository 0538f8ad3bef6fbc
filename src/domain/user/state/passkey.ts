import type { Made } from "./made.ts";

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

/** A user with passkeys. */
interface Holder {
  readonly passkeys: readonly KeptPasskey[];
}

/** The same person, one of whose passkeys was shown with this counter at a time. */
export function withCounter<State extends Holder>(
  human: State,
  { credentialId, counter }: Pick<Passkey, "credentialId" | "counter">,
  usedMs: number,
): State {
  return changed(human, credentialId, { counter, usedMs });
}

/** The same person, one of whose passkeys has another name. */
export function withName<State extends Holder>(
  human: State,
  { credentialId, name }: Pick<Passkey, "credentialId" | "name">,
): State {
  return changed(human, credentialId, { name });
}

/** The same person without one of its passkeys. */
export function withoutPasskey<State extends Holder>(
  human: State,
  { credentialId }: Pick<Passkey, "credentialId">,
): State {
  return {
    ...human,
    passkeys: human.passkeys.filter((one) => one.credentialId !== credentialId),
  };
}

function changed<State extends Holder>(
  human: State,
  credentialId: string,
  change: Partial<KeptPasskey>,
): State {
  const passkeys = human.passkeys.map((one) =>
    one.credentialId === credentialId ? { ...one, ...change } : one,
  );
  return { ...human, passkeys };
}
